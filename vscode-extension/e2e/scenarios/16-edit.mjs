/** Somebody edits what a belief speaks of: it is underlined before anything is saved, and put right by a quick fix. */
import { patience } from "../patience.mjs";

const statement = "URLs longer than 131072 characters are refused: the new gateway takes twice as much";

export async function run(stage) {
  const editor = await stage.shared();
  const memory = await editor.view("Memory");
  await editor.file("httpx/_urlparse.py", 29);
  await editor.item(/URLs longer than 65536/, memory).waitFor();
  await editor.press("End", "Control+Backspace");
  await editor.type("131072");

  await editor.item(/contradicted.*URLs longer than 65536/i, memory).waitFor();
  await editor.line(213);
  await editor.page.locator(".squiggly-warning").first().waitFor();
  await editor.page.locator(".codelens-decoration").filter({ hasText: /⚠ MAX_URL_LENGTH/ }).first().waitFor();
  await editor.screenshot("diagnostic");

  await editor.press("End", "F8");
  await editor.page.locator(".marker-widget").getByText(/65536/).first().waitFor();
  await editor.screenshot("problem");
  await editor.press("Escape");
  await editor.line(213);
  await editor.press("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
  const fixes = editor.page.locator(".action-widget");
  await editor.until(async () => {
    await editor.press("Control+."); // closed again when something moved in the same moment
    await fixes.getByText(/Replace/).first().waitFor({ timeout: patience / 6 });
    return true;
  }, "the quick fixes");
  await editor.screenshot("quick-fix");
  await fixes.getByText(/Replace/).first().click();
  const input = editor.box.getByRole("textbox").first();
  await input.waitFor();
  await input.fill(statement);
  await editor.press("Enter");

  await editor.item(/URLs longer than 131072/, memory).waitFor();
  await editor.page.locator(".squiggly-warning").first().waitFor({ state: "hidden" });
  const review = await editor.view("Needs review");
  await editor.item(/URLs longer than 65536/, review).waitFor({ state: "hidden" });
  await editor.press("Control+s");
  await editor.hover("urlparse", /twice as much/);
  await editor.screenshot("view-updated");
}
