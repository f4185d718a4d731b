/** The extension costs less than 100 ms on its side before the editor goes on. */
import assert from "node:assert/strict";
import { availableParallelism, loadavg } from "node:os";

const LIMIT = 100; // milliseconds

export async function run(stage) {
  const editor = await stage.shared();
  await editor.file("httpx/_urlparse.py", 213);
  await editor.page.locator(".codelens-decoration").filter({ hasText: "decision" }).first().waitFor();
  await editor.run("Developer: Show Running Extensions");
  const line = editor.page.locator(".runtime-extensions-editor .extension").filter({ hasText: "memlsp" });
  const time = await editor.until(async () => /Activation: (\d+)ms/.exec(await line.first().innerText()), "the activation time of memlsp");
  await editor.screenshot("activation");
  await editor.run("View: Close Editor");
  stage.measure("activation, ms", Number(time[1]));
  // A moment is measured, so a machine on which others wait for a processor too says nothing about us.
  const busy = loadavg()[0] > availableParallelism() + 2;
  if (busy) console.log(`              activation took ${time[1]} ms on a busy machine (load ${loadavg()[0].toFixed(1)}): not held against ${LIMIT}`);
  else assert.ok(Number(time[1]) < LIMIT, `activation took ${time[1]} ms, ${LIMIT} are allowed`);
}
