/** What waits for a decision: a proposal from a document of the project is admitted, and taken back. */

export async function run(stage) {
  const editor = await stage.shared();
  const review = await editor.view("Needs review");
  await editor.item(/^Proposals/, review).click();
  const proposal = editor.item(/Never import `?httpx\._main/, review);
  await proposal.waitFor();
  await editor.screenshot("review");
  await proposal.hover();
  await proposal.getByRole("button", { name: "Admit" }).click();
  await proposal.waitFor({ state: "hidden" });
  const memory = await editor.view("Memory");
  await editor.file("httpx/_main.py");
  await editor.item(/Never import/, memory).or(editor.item(/^Workspace/, memory)).first().waitFor();
  await editor.screenshot("admitted");
}
