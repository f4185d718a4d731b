/** What a screen reader is told of the views: every line has words for what its icon shows. */
import assert from "node:assert/strict";

export async function run(stage) {
  const editor = await stage.shared();
  const memory = await editor.view("Memory");
  await editor.file("httpx/_urlparse.py", 395);
  const belief = editor.item(/Default ports are left out/, memory);
  await belief.waitFor();
  assert.match((await belief.getAttribute("aria-label")) ?? "", /current.*rule/);
  const review = await editor.view("Needs review");
  const stale = editor.item(/create_ssl_context takes http2/, review);
  await stale.waitFor();
  assert.match((await stale.getAttribute("aria-label")) ?? "", /contradicted/);
  for (const item of await editor.items.all()) {
    const label = (await item.getAttribute("aria-label")) ?? "";
    const text = await item.innerText();
    assert.ok(label.trim().length > 1, `a line without a label: ${JSON.stringify(text)}`);
  }
  for (const button of await editor.page.locator(".sidebar .action-label[role=button]").all()) {
    assert.ok(await button.getAttribute("aria-label"), "a button without a label");
  }
}
