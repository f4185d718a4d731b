/** In a file of 5,000 lines an edit is judged while one looks, and its hover and lens are those of its line. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { ask } from "../project.mjs";

const text = Array.from({ length: 1_000 }, (_, at) => `def step_${at}(tries=3):\n    """Step ${at}."""\n    return tries\n\n\n`).join("");
const last = { name: "step_999", line: 4_996 };
const statement = "The last step tries three times";

export async function run(stage) {
  writeFileSync(path.join(stage.repository, "steps.py"), text);
  ask(stage.repository, stage.workbench.memory, "remember", statement, "--at", `steps.py#${last.name}`, "--kind", "fact");
  const editor = await stage.shared();
  await editor.file("steps.py", last.line);
  await editor.lens(`✓ “${statement}`).waitFor();
  await editor.hover(last.name, statement);
  await editor.press("Escape");
  await editor.press("End", "ArrowLeft", "ArrowLeft", "Backspace");
  const since = Date.now();
  await editor.type("5");
  await editor.lens(/⚠.*tries/).waitFor();
  stage.measure("lens after an edit of 5,000 lines, s", (Date.now() - since) / 1000);
  await editor.run("File: Revert File");
  await editor.lens(`✓ “${statement}`).waitFor();
}
