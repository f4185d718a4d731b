/** The extension costs less than 100 ms on its side before the editor goes on. */
import assert from "node:assert/strict";
import { availableParallelism, loadavg } from "node:os";

const LIMIT = 100; // milliseconds

/** The best of three windows: what else a machine does while a window opens can only make it longer. */
export async function run(stage) {
  const editor = await stage.shared();
  const times = [await activation(editor)];
  while (times.at(-1) >= LIMIT && times.length < 3) {
    await editor.page.reload({ waitUntil: "commit" });
    times.push(await activation(editor));
  }
  const best = Math.min(...times);
  stage.measure("activation, ms", times);
  const busy = loadavg()[0] > availableParallelism() + 2;
  if (busy) console.log(`              activation took ${best} ms on a busy machine (load ${loadavg()[0].toFixed(1)}): not held against ${LIMIT}`);
  else assert.ok(best < LIMIT, `activation took ${times.join(", ")} ms, ${LIMIT} are allowed`);
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
