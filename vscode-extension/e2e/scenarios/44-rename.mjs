/**
 * A language server renames a symbol, and its belief follows; in a file of 5,000 lines an edit is judged while one looks;
 * and what is decided in a second window, of 640 pixels and a German browser, shows in the first.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { askAll } from "../project.mjs";

const files = {
  "price.ts": "export function charge(cents: number): number {\n  return Math.ceil(cents);\n}\n",
  "shop.ts": 'import { charge } from "./price";\n\nexport const total = charge(99.5);\n',
  "steps.py": Array.from({ length: 1_000 }, (_, at) => `def step_${at}(tries=3):\n    """Step ${at}."""\n    return tries\n\n\n`).join(""),
};
const last = { name: "step_999", line: 4_996 };
const WIDTH = 640;

export async function run(stage) {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(stage.repository, name), text);
  askAll(stage.repository, stage.workbench.memory, [
    ["remember", "Fractions are rounded up: the bank refuses them", "--at", "price.ts#charge", "--kind", "decision"],
    ["remember", "The last step tries three times", "--at", `steps.py#${last.name}`, "--kind", "fact"],
  ]);
  const editor = await stage.shared();
  await edited(editor, stage);
  await renamed(editor, stage);
  // without a language pack the words stay English, and nothing else may break
  const narrow = await stage.open(stage.repository, { width: WIDTH, locale: "de-DE" });
  await decided(narrow, editor);
  await stage.close(narrow);
}

const lens = (editor, text) => editor.page.locator(".codelens-decoration").filter({ hasText: text }).filter({ visible: true }).first();

async function edited(editor, stage) {
  await editor.file("steps.py", last.line);
  await lens(editor, /✓ “The last step tries three/).waitFor();
  await editor.hover(last.name, /The last step tries three/);
  await editor.press("Escape");
  await editor.press("End", "ArrowLeft", "ArrowLeft", "Backspace");
  const since = Date.now();
  await editor.type("5");
  await lens(editor, /⚠.*tries/).waitFor();
  stage.measure("lens after an edit of 5,000 lines, s", (Date.now() - since) / 1000);
  await editor.run("File: Revert File");
  await lens(editor, /✓ “The last step tries three/).waitFor();
}

async function renamed(editor, stage) {
  const { page } = editor;
  const memory = await editor.view("Memory");
  await editor.file("price.ts", 1);
  const row = editor.item(/Fractions are rounded up/, memory);
  await row.waitFor();
  const box = page.locator(".rename-box input");
  await editor.until(async () => {
    await editor.line("1:18");
    await editor.press("F2");
    await box.waitFor({ timeout: 3_000 }); // the language server may not be there yet
    return true;
  }, "the box of a rename");
  await box.fill("settle");
  const since = Date.now();
  await editor.press("Enter");
  await editor.word("settle").waitFor();
  await editor.until(async () => /carried.*settle/.test(await row.getAttribute("aria-label")), "the belief at its new name");
  await lens(editor, "Fractions are rounded up").waitFor();
  stage.measure("lens after a rename, s", (Date.now() - since) / 1000);
  await editor.run("File: Save All");
  assert.match(await row.getAttribute("aria-label"), /carried.*settle/);
  assert.equal(await page.locator(".squiggly-warning, .squiggly-info").filter({ visible: true }).count(), 0, "nothing is lost");
  await editor.screenshot("renamed");
}

async function decided(narrow, first) {
  const memory = await narrow.view("Memory");
  await narrow.file("price.ts");
  const row = narrow.item(/Fractions are rounded up/, memory);
  await row.waitFor();
  await narrow.run("memlsp: Status of the server");
  await narrow.box.getByText(/memlsp \S+ is running/).first().waitFor();
  await narrow.press("Escape");
  await row.hover();
  await row.getByRole("button", { name: "Open its page" }).click();
  const { inside } = narrow;
  await inside.getByRole("heading", { name: /Fractions are rounded up/ }).waitFor();
  await narrow.screenshot("narrow");
  const page = inside.locator("html");
  const [whole, shown] = await page.evaluate((html) => [html.scrollWidth, html.clientWidth]);
  assert.ok(shown > 0 && whole <= shown, `the page is ${whole} wide and shows ${shown}`);
  for (const button of await inside.locator(".actions button").all()) {
    const cut = await button.evaluate((each) => each.scrollWidth > each.clientWidth || each.getBoundingClientRect().right > each.ownerDocument.documentElement.clientWidth);
    assert.ok(!cut, `the button ${await button.innerText()} is cut`);
  }
  await inside.getByRole("button", { name: "Replace…" }).click();
  await narrow.box.getByRole("textbox").first().fill("Fractions are rounded down: the bank keeps them");
  await narrow.press("Enter");
  await inside.getByRole("heading", { name: /Fractions are rounded/ }).first().waitFor();
  await first.item(/Fractions are rounded down/, await first.view("Memory")).waitFor();
}
