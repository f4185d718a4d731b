/** The line above a function quotes what is remembered there; a click shows it. */
export async function run(stage) {
  const editor = await stage.shared();
  await editor.file("httpx/_urlparse.py", 213);
  const lens = editor.page.locator(".codelens-decoration").filter({ hasText: "URLs longer than 65536" }).getByRole("button");
  await lens.first().waitFor();
  await editor.screenshot("lens");
  await lens.first().click();
  await editor.choices.filter({ hasText: /partner gateway/ }).waitFor();
  await editor.choices.filter({ hasText: /Added `urlparse`/ }).waitFor();
  await editor.screenshot("peek");
  await editor.press("Escape");
}
