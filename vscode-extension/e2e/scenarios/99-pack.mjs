/** The walkthrough as it looks. */
export async function run(stage) {
  const editor = await stage.shared();
  await editor.run("Welcome: Open Walkthrough...");
  await editor.page.keyboard.type("Get started with memlsp");
  await editor.page.waitForTimeout(1500);
  await editor.page.keyboard.press("Enter");
  await editor.page.waitForTimeout(4000);
  await editor.page.screenshot({ path: "/tmp/pack/walk1.png" });
  for (const [at, name] of ["Remember why", "See what no longer holds", "Let agents ask"].entries()) {
    await editor.page.getByRole("button", { name: new RegExp(name) }).first().click({ timeout: 5000 }).catch((e) => console.log(String(e).slice(0, 300)));
    await editor.page.waitForTimeout(1500);
    await editor.page.screenshot({ path: `/tmp/pack/walk${at + 2}.png` });
  }
}
