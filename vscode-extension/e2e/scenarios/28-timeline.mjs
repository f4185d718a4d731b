/** What happened, day by day; what was left open: its place, its lens, and how it is closed; and a handoff, which is taken. */
export async function run(stage) {
  const editor = await stage.shared();
  const timeline = await editor.only("Episodes and threads");
  const remark = editor.item(/TODO: run mypy here as well/, timeline);
  const step = editor.item(/^run mypy in scripts/, timeline);
  const handoff = editor.item(/Write a script that checks the code.*handoff/, timeline);
  await handoff.waitFor();
  await step.waitFor();
  await editor.screenshot("timeline");

  await remark.click();
  await editor.tab("check").waitFor();
  await editor.page.locator(".codelens-decoration").filter({ hasText: /open thread|TODO/ }).first().waitFor();
  await step.hover();
  await step.getByRole("button", { name: "Close this thread…" }).click();
  await editor.box.getByRole("textbox").first().fill("mypy runs in the tests");
  await editor.press("Enter");
  await step.waitFor({ state: "hidden" });
  await remark.waitFor();

  await handoff.click();
  await editor.item(/^task: Write a script that checks the code/, timeline).waitFor();
  await handoff.hover();
  await handoff.getByRole("button", { name: "Take this handoff" }).click();
  await editor.item(/Write a script that checks the code.*handoff · claimed/, timeline).waitFor();
}
