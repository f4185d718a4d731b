/** What is decided in a second window on the same folder, of 640 pixels and a German browser, shows in the first. */
import assert from "node:assert/strict";
import { ask } from "../project.mjs";

const WIDTH = 640;
const statement = "Codes of a status are an enumeration, so that a log has their names";
const [file, symbol] = ["httpx/_status_codes.py", "codes"];

export async function run(stage) {
  ask(stage.repository, stage.workbench.memory, "remember", statement, "--at", `${file}#${symbol}`, "--kind", "decision");
  const first = await stage.shared();
  await first.file(file);
  const there = await first.view("Memory");
  await first.item(statement, there).waitFor();
  // without a language pack the words stay English, and nothing else may break
  const narrow = await stage.open(stage.repository, { width: WIDTH, locale: "de-DE" });
  const memory = await narrow.view("Memory");
  await narrow.file(file);
  const row = narrow.item(statement, memory);
  await row.waitFor();
  await narrow.run("memlsp: Status of the server");
  await narrow.box.getByText(/memlsp \S+ is running/).first().waitFor();
  await narrow.press("Escape");
  await row.hover();
  await row.getByRole("button", { name: "Open its page" }).click();
  const { inside } = narrow;
  await inside.getByRole("heading", { name: statement }).waitFor();
  await narrow.screenshot("narrow");
  await isWhole(inside);
  await inside.getByRole("button", { name: "Replace…" }).click();
  await narrow.box.getByRole("textbox").first().fill("Codes of a status are numbers");
  await narrow.press("Enter");
  await first.item("Codes of a status are numbers", there).waitFor();
  await stage.close(narrow);
}

/** The page does not scroll sideways, and no button of it is cut off. */
async function isWhole(inside) {
  const [whole, shown] = await inside.locator("html").evaluate((html) => [html.scrollWidth, html.clientWidth]);
  assert.ok(shown > 0 && whole <= shown, `the page is ${whole} wide and shows ${shown}`);
  for (const button of await inside.locator(".actions button").all()) {
    const cut = await button.evaluate((each) => each.scrollWidth > each.clientWidth || each.getBoundingClientRect().right > each.ownerDocument.documentElement.clientWidth);
    assert.ok(!cut, `the button ${await button.innerText()} is cut`);
  }
}
