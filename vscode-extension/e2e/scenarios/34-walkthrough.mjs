/** The walkthrough opens with its four steps. */
export async function run(stage) {
  const editor = await stage.shared();
  await editor.run("Welcome: Open Walkthrough");
  await editor.choices.filter({ hasText: /Get started with memlsp/ }).first().click();
  for (const step of ["Start the memory", "Remember why", "See what no longer holds", "Let agents ask"]) {
    await editor.page.getByRole("button", { name: step }).or(editor.page.locator(".step-title").filter({ hasText: step })).first().waitFor();
  }
  await editor.screenshot("walkthrough");
  await editor.run("View: Close Editor");
}
