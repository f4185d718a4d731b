/** After a commit, made outside of the editor even, a person says why; asks for it in words; and peeks at the symbol. */
import { appendFileSync } from "node:fs";
import path from "node:path";
import { git } from "../project.mjs";

const why = "Waits double, because the gateway blocks clients that come back at once";

export async function run(stage) {
  const editor = await stage.shared();
  const box = editor.box;
  await editor.file("httpx/_utils.py");
  appendFileSync(path.join(stage.repository, "httpx/_utils.py"), "\n\ndef backoff(attempt: int) -> float:\n    return 0.5 * 2**attempt\n");
  git(stage.repository, ["commit", "--quiet", "--message", "Back off", "httpx/_utils.py"]);

  const entry = editor.page.getByRole("button", { name: /Keep why this was done: Back off/ });
  await entry.waitFor();
  await editor.screenshot("after-commit");
  await entry.click();
  await box.getByText(/Added `backoff`/).first().waitFor();
  await editor.press("Enter");
  await box.getByText(/Why was it done so/).waitFor();
  const input = box.getByRole("textbox").first();
  await input.fill(why);
  await editor.press("Escape"); // nothing that was typed is lost
  await entry.click();
  await box.getByText(/Added `backoff`/).first().waitFor();
  await editor.press("Enter");
  await editor.until(async () => (await input.inputValue()) === why, "what was typed before");
  await editor.press("Enter");
  await editor.choices.filter({ hasText: /^Decision/ }).first().click();
  await editor.page.getByRole("button", { name: /Remembered: Waits double/ }).waitFor();
  await entry.waitFor({ state: "hidden" });

  await editor.run("memlsp: Recall…");
  await box.getByRole("combobox").or(box.getByRole("textbox")).first().fill("why do waits double");
  await editor.choices.filter({ hasText: /Waits double/ }).first().waitFor();
  await editor.screenshot("recall");
  await editor.press("Escape");

  await editor.file("httpx/_utils.py", 245);
  await editor.press("Control+k", "Control+Shift+y");
  await editor.choices.filter({ hasText: /Waits double/ }).first().waitFor();
  await editor.screenshot("peek");
  await editor.press("Enter");
  await editor.choices.filter({ hasText: /Open its page/ }).first().waitFor();
  await editor.press("Escape", "Escape");
}
