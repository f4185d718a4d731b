/** A machine that has Python and nothing of ours: the extension asks, installs its server with progress, and runs it. */
import { patience } from "../patience.mjs";

export const whole = true; // the .vsix has to bring the server

export async function run(stage) {
  const before = stage.servers().map(({ pid }) => pid);
  const program = stage.workbench.settings["memlsp.path"];
  stage.workbench.set({ "memlsp.path": undefined });
  const editor = await stage.open(stage.fresh());
  try {
    await editor.view("Memory");
    await editor.page.getByText("No server was found on this machine.").first().waitFor();
    await editor.screenshot("no-server");
    await editor.run("Notifications: Show Notifications");
    const question = editor.page.getByRole("dialog").or(editor.notifications).filter({ hasText: /memlsp needs its server/ }).first();
    await question.waitFor();
    await question.getByRole("button", { name: "Install", exact: true }).click();
    const since = Date.now();
    await editor.notifications.getByText(/Installing memlsp/).first().waitFor();
    await editor.screenshot("installing");
    await editor.until(() => stage.servers().find(({ pid, command }) => !before.includes(pid) && command.includes(stage.workbench.data)), "the installed server", 6 * patience);
    stage.measure("server installed, s", (Date.now() - since) / 1000);
    await editor.page.getByText("Nothing is remembered here yet").or(editor.item(/User/)).first().waitFor();
    await editor.screenshot("installed");
  } finally {
    stage.workbench.set({ "memlsp.path": program });
    await stage.close(editor);
  }
}
