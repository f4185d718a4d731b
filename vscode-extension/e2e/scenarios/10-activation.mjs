/** How long the extension takes on its side before the editor goes on: measured and told. */
import { availableParallelism, loadavg } from "node:os";

const TARGET = 100; // milliseconds

/** No verdict: a clock on a machine that others use fails nothing. One window, for a second one would be a reload, of which
 * the workbench itself complains in its console. */
export async function run(stage) {
  const time = await activation(await stage.shared());
  stage.measure("activation, ms", time);
  const load = `load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} processors`;
  console.log(`              activation ${time} ms, target ${TARGET}: ${time < TARGET ? "met" : "missed"} (${load})`);
}

async function activation(editor) {
  await editor.page.getByRole("tab", { name: /^memlsp/i }).first().waitFor();
  await editor.file("httpx/_urlparse.py", 213);
  await editor.page.locator(".codelens-decoration").filter({ hasText: "URLs longer than 65536" }).first().waitFor();
  await editor.run("Developer: Show Running Extensions");
  const line = editor.page.locator(".runtime-extensions-editor .extension").filter({ hasText: "memlsp" });
  const time = await editor.until(async () => /Activation: (\d+)ms/.exec(await line.first().innerText()), "the activation time of memlsp");
  await editor.screenshot("activation");
  await editor.run("View: Close Editor");
  return Number(time[1]);
}
