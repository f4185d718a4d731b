/** The page of a belief: the statement, why it stands as it does, the code before and after, what may be done. */
export async function run(stage) {
  const editor = await stage.shared();
  const review = await editor.view("Needs review");
  await editor.item(/create_ssl_context takes http2/, review).click();
  await editor.inside.getByRole("heading", { name: /create_ssl_context takes http2/ }).waitFor();
  await editor.screenshot("page");
  await editor.run("View: Close Editor");
}
