/** In a folder that is not trusted nothing of the machine's is started; trusting it is enough to go on. */
export async function run(stage) {
  // a window that was closed a moment ago may keep its server for a while
  const others = new Set(stage.servers().map(({ parent }) => parent));
  const begun = () => stage.servers().filter(({ parent }) => !others.has(parent)).length;
  const editor = await stage.open(stage.small, { trust: false });
  await editor.page.getByRole("button", { name: /Restricted Mode/ }).first().waitFor();
  await editor.view("Memory");
  await editor.page.getByText("This folder is not trusted, so nothing was started for it.").first().waitFor();
  await editor.screenshot("restricted");
  await editor.until(() => begun() === 0, "no server for a folder that is not trusted");

  await editor.run("Workspaces: Manage Workspace Trust");
  await editor.page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
  await editor.until(() => begun() === 1, "a server after the folder was trusted");
  await editor.run("View: Close Editor");
  await editor.view("Memory");
  await editor.page.getByText("Nothing is remembered here yet").or(editor.item(/User/)).first().waitFor();
  await editor.screenshot("trusted");
  await stage.close(editor);
}
