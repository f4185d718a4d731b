/** What happened, day by day, and what was left open. */
export async function run(stage) {
  const editor = await stage.shared();
  const timeline = await editor.only("Episodes and threads");
  await editor.item(/Write a script that checks the code/, timeline).waitFor();
  await editor.item(/run mypy here as well/, timeline).waitFor();
  await editor.screenshot("timeline");
}
