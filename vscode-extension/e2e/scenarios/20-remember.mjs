/** A person selects code, says why it is so, and finds it in the view. */
export async function run(stage) {
  const editor = await stage.shared();
  const memory = await editor.view("Memory");
  await editor.file("httpx/_urlparse.py", 422);
  await editor.press("Shift+End");
  await editor.run("memlsp: Remember…");
  const input = editor.box.getByRole("textbox").first();
  await editor.box.getByText(/validate_path/).first().waitFor();
  await input.fill("Relative paths may not begin with a colon: RFC 3986, section 4.2, and our router relies on it");
  await editor.screenshot("remember");
  await editor.press("Enter");
  await editor.choices.filter({ hasText: /Rule/i }).first().click();
  await editor.choices.filter({ hasText: /validate_path/ }).first().click();
  await editor.item(/may not begin with a colon/, memory).waitFor();
  await editor.screenshot("remembered");
}
