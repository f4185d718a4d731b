/** The server stops in the middle of things: it is noticed after an edit, and another one takes its place. */
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
  const other = () => stage.servers().find(({ pid }) => pid !== before.pid);
  await editor.until(other, "another server", patience + 60_000); // the extension itself waits most of a minute
  assert.equal(stage.servers().length, 1, "the server that hung is gone");
  await editor.hover("normalize_port", /two spellings/);
  assert.ok(stage.logged().some((line) => /has said nothing for \d+ seconds/.test(line)), "the log says why");
}
