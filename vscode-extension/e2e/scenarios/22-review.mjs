/** What waits for a decision: a proposal from a document of the project is admitted, and taken back. */

export async function run(stage) {
  const editor = await stage.shared();
  await editor.view("Needs review");
  const proposal = editor.item(/Never import `?httpx\._main/);
  await proposal.waitFor();
  await editor.screenshot("review");
  await proposal.hover();
  await proposal.getByRole("button", { name: "Admit" }).click();
  await proposal.waitFor({ state: "hidden" });
  await editor.view("Memory");
  await editor.screenshot("admitted");
}
