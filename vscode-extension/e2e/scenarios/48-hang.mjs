/** The server stops in the middle of things: it is noticed after an edit, and another one takes its place. The extension
 * waits most of a minute for that, in which the scenarios with windows of their own run. */
import assert from "node:assert/strict";
import { patience } from "../patience.mjs";

export async function run(stage) {
  const editor = await stage.shared();
  await editor.file("httpx/_urlparse.py", 395);
  await editor.hover("normalize_port", /two spellings/);
  const [before] = stage.servers();
  process.kill(before.pid, "SIGSTOP");
  await editor.press("End");
  await editor.type(" ");
  await editor.press("Backspace");
  return async () => {
    const there = () => stage.servers().filter(({ parent }) => parent === before.parent);
    await editor.until(() => there().length > 0 && there().every(({ pid }) => pid !== before.pid), "another server in its place", patience + 60_000);
    await (await stage.shared()).hover("normalize_port", /two spellings/);
    assert.ok(stage.logged().some((line) => /has said nothing for \d+ seconds/.test(line)), "the log says why");
  };
}
