/** How long the extension takes on its side before the editor goes on: measured, the best of a few windows, and told. */
import { availableParallelism, loadavg } from "node:os";

const TARGET = 100; // milliseconds

/** What else a machine does while a window opens can only make it longer, so a slow one is looked at again. No verdict: a
 * clock on a machine that others use fails nothing. */
export async function run(stage) {
  const editor = await stage.shared();
  const times = [await activation(editor)];
  while (times.at(-1) >= TARGET && times.length < 3) {
    await editor.page.reload({ waitUntil: "commit" });
    times.push(await activation(editor));
  }
  stage.measure("activation, ms", times);
  const best = Math.min(...times);
  const load = `load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors`;
  console.log(`              activation ${times.join(", ")} ms, target ${TARGET}: ${best < TARGET ? "met" : "missed"} (${load})`);
}

async function activation(editor) {
  await editor.page.getByRole("tab", { name: /^memlsp/i }).first().waitFor();
  await editor.file("httpx/_urlparse.py", 213);
  await editor.page.locator(".codelens-decoration").filter({ hasText: "decision" }).first().waitFor();
  await editor.run("Developer: Show Running Extensions");
  const line = editor.page.locator(".runtime-extensions-editor .extension").filter({ hasText: "memlsp" });
  const time = await editor.until(async () => /Activation: (\d+)ms/.exec(await line.first().innerText()), "the activation time of memlsp");
  await editor.screenshot("activation");
  await editor.run("View: Close Editor");
  return Number(time[1]);
}
