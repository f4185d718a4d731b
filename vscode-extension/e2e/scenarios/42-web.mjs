/** The memory in the browser: a command starts the page in a terminal, its link leads there, and it ends with the terminal. */
import assert from "node:assert/strict";

export async function run(stage) {
  const editor = await stage.shared();
  await editor.run("memlsp: Open the memory in the browser");
  const said = editor.page.locator(".terminal-wrapper.active .xterm-rows");
  const [link] = await editor.until(async () => /http:\/\/127\.0\.0\.1:\d+\/open\/\S+/.exec(await said.innerText()), "a link in the terminal");
  const visit = await stage.browser.newContext();
  try {
    const page = await visit.newPage();
    await page.goto(link);
    await page.getByRole("link", { name: "Beliefs" }).click();
    await page.getByText(/Default ports are left out/).first().waitFor();
  } finally {
    await visit.close();
  }
  await editor.run("Terminal: Kill the Active Terminal Instance");
  const answers = () => fetch(new URL("/", link)).then(() => true, () => false);
  assert.ok(await editor.until(async () => !(await answers()), "the page to end with its terminal"));
}
