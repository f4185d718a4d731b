/** The server is killed, and is there again without anybody doing anything. */
import assert from "node:assert/strict";

export async function run(stage) {
  const editor = await stage.shared();
  await editor.file("httpx/_urlparse.py", 395);
  await editor.hover("normalize_port", /two spellings/);
  const before = stage.servers();
  assert.equal(before.length, 1, `one server for one window, not ${before.length}`);
  process.kill(before[0].pid, "SIGKILL");
  const after = await editor.until(() => stage.servers().find(({ pid }) => pid !== before[0].pid), "another server");
  assert.notEqual(after.pid, before[0].pid);
  await editor.hover("normalize_port", /two spellings/);
  await editor.screenshot("restarted");
  assert.equal(await editor.notifications.getByText(/memlsp/).count(), 0, "nobody was bothered");
}
