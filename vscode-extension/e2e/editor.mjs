/** One window of the workbench, used as a person uses it: by the keyboard, and by what things are called. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { patience } from "./patience.mjs";
import { artefacts, chromium, driver, folder } from "./places.mjs";

/** What the workbench itself says on a healthy start, and nobody can do anything about. */
const known = [
  /Failed to load resource: .*40[134]/, // the gallery and its icons, which no scenario uses
  /ENOTFOUND|ERR_INTERNET_DISCONNECTED|ERR_NAME_NOT_RESOLVED|ERR_CONNECTION_REFUSED|ERR_PROXY/,
  /Timed out waiting for authentication provider 'github'/,
  /Extension `vscode\.[\w-]+` is already registered/, // one of the workbench's own is there twice
  /Unable to resolve resource walkThrough/,
  /Activating extension 'vscode\.[\w-]+' failed: Not Found/, // those that we leave out, in the browser's own host
];

/** Starts the browser; one is enough for all windows. */
export async function browse() {
  return driver().chromium.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
}

export class Editor {
  #complaints = [];
  #folders = [];

  constructor(page, workbench) {
    this.page = page;
    this.workbench = workbench;
    page.setDefaultTimeout(patience);
    page.on("pageerror", (error) => this.#complain(`page error: ${error.stack ?? error}`));
    page.on("console", (message) => message.type() === "error" && this.#complain(`console: ${message.text()}`));
  }

  /** A window of a person of whom the workbench knows nothing yet. */
  static async blank(browser, workbench, { width = 1280, height = 800, locale = "en-US" } = {}) {
    const context = await browser.newContext({ viewport: { width, height }, locale });
    return new Editor(await context.newPage(), workbench);
  }

  /**
   * Opens a folder or a .code-workspace file (nothing: an empty window) and waits until the workbench stands. With
   * `trust` the question about the authors is answered: true or false; undefined leaves it open.
   */
  async open(place, { trust = true } = {}) {
    const kind = place?.endsWith(".code-workspace") ? "workspace" : "folder";
    this.#folders = foldersOf(place);
    await this.page.goto(`${this.workbench.url}/?${place ? `${kind}=${encodeURIComponent(place)}` : "ew=true"}`, { waitUntil: "commit", timeout: 2 * patience });
    await this.page.locator(".monaco-workbench").waitFor({ timeout: 3 * patience });
    if (place && trust !== undefined) await this.answer(trust);
  }

  /** "Do you trust the authors?" */
  async answer(trust) {
    const dialog = this.page.getByRole("dialog");
    await dialog.getByText("Do you trust the authors").waitFor();
    await dialog.getByRole("button", { name: trust ? /^Yes/ : /^No/ }).click();
    await dialog.waitFor({ state: "hidden" });
  }

  async close() {
    await this.page.context().close();
  }

  // --- what a person does ---------------------------------------------------------------------------------------

  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  async type(text) {
    await this.page.keyboard.type(text);
  }

  /** Leaves whatever question a scenario before may have left open. */
  async leaveQuestions() {
    await this.until(async () => {
      await this.press("Escape");
      return (await this.box.count()) === 0;
    }, "no question to be open");
  }

  /** The box that quick open, the palette and all our questions use. */
  get box() {
    return this.page.locator(".quick-input-widget").filter({ visible: true });
  }

  get choices() {
    return this.box.getByRole("option");
  }

  /**
   * Opens a box by its key, types into it, and does what follows there. A workbench that is busy may close a box that
   * has just opened, when the focus comes late to an editor: then the key is pressed again. A box that is still open is
   * left before, for the same text again would be no change, and change nothing.
   */
  async #inBox(key, text, then) {
    let tried = false;
    await this.until(async () => {
      if (tried) await this.press("Escape");
      tried = true;
      await this.press(key);
      const soon = { timeout: patience / 5 };
      await this.box.getByRole("combobox").or(this.box.getByRole("textbox")).first().fill(text, soon);
      await then(soon);
      return true;
    }, `a box after ${key} that takes "${text}"`, 2 * patience);
  }

  /** Runs a command of the palette by its whole title. */
  async run(title) {
    await this.#inBox("F1", `>${title}`, (soon) => this.choices.filter({ hasText: title }).first().click(soon));
  }

  /** The titles that the palette offers for a text. */
  async palette(text) {
    await this.#inBox("F1", `>${text}`, (soon) => this.choices.first().waitFor(soon));
    const titles = await this.choices.allInnerTexts();
    await this.press("Escape");
    return titles;
  }

  /**
   * Opens a file of the window's folders, with the cursor at a line, or a line:column. It is named by its whole path,
   * which the workbench looks up and does not search for: a search may answer with the files of a moment ago.
   */
  async file(name, at) {
    const place = this.#folders.map((each) => path.join(each, name)).find((each) => existsSync(each));
    if (!place) throw new Error(`${name} is in none of the folders ${this.#folders}`);
    const row = this.choices.filter({ hasText: path.basename(name) }).first();
    await this.#inBox("Control+p", at === undefined ? place : `${place}:${at}`, (soon) => row.click(soon));
    await this.page.getByRole("tab", { name: path.basename(name), selected: true }).first().waitFor();
    await this.page.locator(".monaco-editor .view-lines").filter({ visible: true }).first().waitFor();
    if (at !== undefined) await this.#at(at);
  }

  async line(line) {
    await this.#inBox("Control+g", `:${line}`, () => this.press("Enter"));
    await this.box.waitFor({ state: "hidden" });
  }

  /** Waits until the editor has the focus, and its cursor is there. */
  async #at(at) {
    const [line, column] = String(at).split(":");
    const cursor = this.page.locator("#status\\.editor\\.selection", { hasText: `Ln ${line}, Col ${column ?? ""}` });
    await cursor.waitFor({ state: "attached" }); // a narrow window has no room for it
    await this.page.locator(".part.editor .monaco-editor.focused").first().waitFor();
  }

  tab(name) {
    return this.page.getByRole("tab", { name }).first();
  }

  /** A word in the text that is shown. */
  word(text, nth = 0) {
    return this.page.locator(".editor-instance .view-line span span, .part.editor .view-line span span").filter({ hasText: text }).nth(nth);
  }

  /** A lens that is in sight, by a piece of what it says. */
  lens(text) {
    return this.page.locator(".codelens-decoration").filter({ hasText: text }).filter({ visible: true }).first();
  }

  /** What the hover over a word says, once it says something that fits `wanted`. */
  async hover(text, wanted = /./) {
    const shown = this.page.locator(".monaco-hover").filter({ hasText: wanted }).first();
    await this.until(async () => {
      await this.page.mouse.move(5, 400);
      await this.word(text).hover();
      await shown.waitFor({ timeout: patience / 15 }); // a server that is started anew is asked again soon
      return true;
    }, `a hover over ${text} that says ${wanted}`);
    return shown;
  }

  /** Shows our views, and gives the focus to the one of that name. */
  async view(name, timeout) {
    const icon = this.page.getByRole("tab", { name: /^memlsp/i }).first();
    await icon.waitFor({ timeout });
    if ((await icon.getAttribute("aria-selected")) !== "true") await icon.click();
    const header = this.#header(name);
    await header.waitFor({ timeout, state: "attached" }); // of a view that is alone the heading is not drawn
    if ((await header.getAttribute("aria-expanded")) === "false") await header.click();
    return this.page.locator(".pane").filter({ has: header });
  }

  /** Shows one of our views with all the room there is; a line that is scrolled away is not in the page at all. */
  async only(name) {
    const view = await this.view(name);
    for (const other of ["Memory", "Needs review", "Episodes and threads"].filter((each) => each !== name)) {
      const header = this.#header(other);
      if ((await header.getAttribute("aria-expanded")) === "true") await header.click();
    }
    return view;
  }

  /** By its heading: the name of the button has the view's description in it, which a filter changes. */
  #header(name) {
    return this.page.locator(".pane-header").filter({ has: this.page.locator("h3", { hasText: new RegExp(`^${name}$`, "i") }) });
  }

  get items() {
    return this.page.locator(".sidebar").getByRole("treeitem");
  }

  /** A line of a view, by what it says; `view` is one that `view()` answered with, else any. */
  item(text, view = this.page.locator(".sidebar")) {
    return view.getByRole("treeitem").filter({ hasText: text }).first();
  }

  get notifications() {
    return this.page.locator(".notification-toast-container, .notifications-center");
  }

  /** The inside of a webview that is shown. */
  get inside() {
    return this.page.frameLocator("iframe.webview").first().frameLocator("iframe#active-frame");
  }

  async screenshot(name) {
    await this.page.screenshot({ path: path.join(folder(artefacts), `${name}.png`) });
  }

  // --- what is waited for ---------------------------------------------------------------------------------------

  /** Asks until the answer is true; the error says what was waited for. */
  async until(answer, what, timeout = patience) {
    const end = Date.now() + timeout;
    let last;
    for (;;) {
      try {
        const value = await answer();
        if (value) return value;
      } catch (error) {
        last = error;
      }
      if (Date.now() > end) throw new Error(`waited in vain for ${what}${last ? `: ${String(last).slice(0, 300)}` : ""}`);
      await this.page.waitForTimeout(100);
    }
  }

  // --- what went wrong ------------------------------------------------------------------------------------------

  #complain(text) {
    if (!known.some((pattern) => pattern.test(text))) this.#complaints.push(text.slice(0, 2_000));
  }

  /** Errors of the page since the last call. */
  complaints() {
    return this.#complaints.splice(0);
  }

  /** Everything one wants to see when a scenario failed. */
  async leave(name) {
    const where = folder(artefacts, "failed");
    await this.page.screenshot({ path: path.join(where, `${name}.png`) }).catch(() => {});
    writeFileSync(path.join(where, `${name}.log`), this.workbench.logs(/exthost|memlsp/).map(({ place, text }) => `--- ${place}\n${text}`).join("\n"));
  }
}

/** The folders of a window: one, or those that a .code-workspace file names. */
function foldersOf(place) {
  if (!place?.endsWith(".code-workspace")) return place ? [place] : [];
  return JSON.parse(readFileSync(place, "utf8")).folders.map((each) => path.resolve(path.dirname(place), each.path));
}
