/** A person hovers a function and reads what was decided there. */
export async function run(stage) {
  const editor = await stage.shared();
  await editor.file("httpx/_urlparse.py", 213);
  await editor.hover("urlparse", /partner gateway/);
  await editor.screenshot("hover");
}
