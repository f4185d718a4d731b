/** Two beliefs that cannot both be true: every place says so, and *Settle…* settles it, from a row and from the lens. */
import assert from "node:assert/strict";

const [first, second] = ["Upload statistics are written to Postgres", "Upload statistics are written to MySQL"];

export async function run(stage) {
  const editor = await stage.shared();
  const { page } = editor;
  const memory = await editor.view("Memory");
  const row = (text) => editor.item(text, memory);
  const inConflict = (text) => row(new RegExp(`^in conflict: ${text}`));
  await editor.file("httpx/_multipart.py", 224);
  await row(first).waitFor();
  await remember(editor, second);

  // the message says what is wrong; its button leads to the answers, and nobody is sent to a terminal
  const message = page.locator(".notification-list-item").filter({ hasText: /contradicts what is believed/ }).first();
  await message.waitFor();
  assert.doesNotMatch(await message.innerText(), /memlsp [a-z]+/);
  await editor.screenshot("conflict-message");
  await message.getByRole("button", { name: "Settle…" }).click();
  await editor.choices.filter({ hasText: "Keep the second" }).first().waitFor();
  await editor.press("Escape");

  await inConflict(first).waitFor();
  await inConflict(second).waitFor();
  const lens = page.locator(".codelens-decoration").filter({ hasText: "2 beliefs conflict" }).getByRole("button").first();
  await lens.waitFor();
  assert.equal(await page.locator(".squiggly-warning").filter({ visible: true }).count(), 1, "one diagnostic for one conflict");
  const hover = await editor.hover("MultipartStream", /in conflict/);
  assert.equal((await hover.innerText()).match(/in conflict/g)?.length, 2, "both sides are in conflict");
  await editor.screenshot("conflict");
  await row(first).hover();
  await row(first).getByRole("button", { name: "Open its page" }).click();
  await editor.inside.locator(".marks .standing", { hasText: /^in conflict$/ }).waitFor();
  await editor.inside.getByRole("button", { name: second, exact: true }).waitFor();
  await editor.inside.getByRole("button", { name: "Settle…" }).waitFor();
  assert.equal(await editor.inside.locator(".standing", { hasText: "current" }).count(), 0, "neither side is current");
  await editor.screenshot("conflict-page");
  await editor.run("View: Close Editor");

  // from the row; and taken back
  await row(second).hover();
  await row(second).getByRole("button", { name: "Settle…" }).click();
  await keep(editor, second);
  await row(first).waitFor({ state: "hidden" });
  await inConflict(second).waitFor({ state: "hidden" });
  await row(second).waitFor();
  await editor.run("memlsp: Take back the last decision");
  await inConflict(first).waitFor();

  // from the lens
  await lens.click();
  await editor.choices.filter({ hasText: second }).first().click();
  await editor.choices.filter({ hasText: "Settle…" }).first().click();
  await keep(editor, first);
  await row(second).waitFor({ state: "hidden" });
  await inConflict(first).waitFor({ state: "hidden" });
  await page.locator(".squiggly-warning").filter({ visible: true }).first().waitFor({ state: "hidden" });
  // by itself, while the list, which is there again, keeps the focus from the editor
  await page.locator(".codelens-decoration").filter({ hasText: `= “${first}”` }).first().waitFor();
  assert.equal(await lens.count(), 0, "the lens knows of no conflict any more");
  await editor.leaveQuestions();
}

/** By its words: which side is the first is the server's to say. */
async function keep(editor, text) {
  await editor.choices.filter({ hasText: `It stays: ${text}` }).first().click();
}

/** Says it of the symbol at the cursor. */
async function remember(editor, text) {
  await editor.press("Control+k", "Control+y");
  const input = editor.box.getByRole("textbox").first();
  await editor.box.getByText(/MultipartStream/).first().waitFor();
  await input.fill(text);
  await editor.press("Enter");
  await editor.choices.filter({ hasText: /Decision/ }).first().click();
  await editor.choices.filter({ hasText: /MultipartStream/ }).first().click();
}
