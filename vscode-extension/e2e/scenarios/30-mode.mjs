/** In quiet mode there are no lenses; in normal mode they are back. */
export async function run(stage) {
  const editor = await stage.shared();
  await editor.file("httpx/_urlparse.py", 395);
  const lens = editor.page.locator(".codelens-decoration").filter({ hasText: "Default ports are left out" }).filter({ visible: true }).first();
  await lens.waitFor();
  await choose(editor, /Quiet/);
  await lens.waitFor({ state: "hidden" });
  await editor.screenshot("quiet");
  await choose(editor, /Normal/);
  await lens.waitFor();
}

async function choose(editor, mode) {
  await editor.run("memlsp: Choose how much is shown");
  await editor.choices.filter({ hasText: mode }).first().click();
}
