/** A language server renames a symbol in an editor: its belief follows, and nothing is reported as lost. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { patience } from "../patience.mjs";
import { ask } from "../project.mjs";

const files = {
  "price.ts": "export function charge(cents: number): number {\n  return Math.ceil(cents);\n}\n",
  "shop.ts": 'import { charge } from "./price";\n\nexport const total = charge(99.5);\n',
};
const statement = "Fractions are rounded up: the bank refuses them";

export async function run(stage) {
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(stage.repository, name), text);
  ask(stage.repository, stage.workbench.memory, "remember", statement, "--at", "price.ts#charge", "--kind", "decision");
  const editor = await stage.shared();
  const memory = await editor.view("Memory");
  const row = editor.item(statement, memory);
  const input = editor.page.locator(".rename-box input");
  await editor.until(async () => {
    await editor.file("price.ts", "1:18");
    await editor.press("F2");
    await input.waitFor({ timeout: patience / 10 }); // the language server may not be there yet
    return true;
  }, "the box of a rename");
  await row.waitFor();
  await input.fill("settle");
  const since = Date.now();
  await editor.press("Enter");
  await editor.word("settle").waitFor();
  await editor.until(async () => /carried.*settle/.test(await row.getAttribute("aria-label")), "the belief at its new name");
  await editor.lens(statement).waitFor();
  stage.measure("lens after a rename, s", (Date.now() - since) / 1000);
  await editor.run("File: Save All");
  assert.match(await row.getAttribute("aria-label"), /carried.*settle/);
  assert.equal(await editor.page.locator(".squiggly-warning, .squiggly-info").filter({ visible: true }).count(), 0, "nothing is lost");
  await editor.screenshot("renamed");
}
