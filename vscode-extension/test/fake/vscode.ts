/**
 * As much of the editor's interface as unit tests need: values behave, services record what was asked of them.
 *
 * Everything that a test reads or sets is under `fake`. What only the real editor can show is in `e2e/`.
 */
import { EventEmitter as NodeEmitter } from "node:events";
import { FakeInputBox, FakeQuickPick, FakeStatusBarItem } from "./quick-input";

export { QuickInputButtons } from "./quick-input";

type Listener<T> = (value: T) => unknown;

export class Disposable {
  constructor(private readonly end: () => unknown = () => undefined) {}
  static from(...each: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => each.forEach((one) => one.dispose()));
  }
  dispose(): void {
    this.end();
  }
}

export class EventEmitter<T> {
  private readonly emitter = new NodeEmitter().setMaxListeners(0);
  readonly event = (listener: Listener<T>, self?: unknown, disposables?: Disposable[]): Disposable => {
    const bound: Listener<T> = self ? listener.bind(self) : listener;
    this.emitter.on("event", bound);
    const end = new Disposable(() => this.emitter.off("event", bound));
    disposables?.push(end);
    return end;
  };
  fire(value: T): void {
    this.emitter.emit("event", value);
  }
  dispose(): void {
    this.emitter.removeAllListeners();
  }
}

export class CancellationTokenSource {
  private readonly cancelled = new EventEmitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.cancelled.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.cancelled.fire();
  }
  dispose(): void {}
}

export class CancellationError extends Error {}

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly authority: string,
    readonly path: string,
    readonly query = "",
    readonly fragment = "",
  ) {}
  static file(path: string): Uri {
    return new Uri("file", "", path.replaceAll("\\", "/"));
  }
  static parse(value: string): Uri {
    const match = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/i.exec(value);
    if (!match) throw new Error(`not a uri: ${value}`);
    return new Uri(match[1] ?? "", match[2] ?? "", decodeURIComponent(match[3] ?? ""), match[4] ?? "", match[5] ?? "");
  }
  static from(parts: { scheme: string; path?: string; query?: string }): Uri {
    return new Uri(parts.scheme, "", parts.path ?? "", parts.query ?? "");
  }
  static joinPath(base: Uri, ...parts: string[]): Uri {
    return base.with({ path: [base.path.replace(/\/$/, ""), ...parts].join("/") });
  }
  get fsPath(): string {
    return this.path;
  }
  with(change: { scheme?: string; path?: string; query?: string; fragment?: string }): Uri {
    return new Uri(
      change.scheme ?? this.scheme,
      this.authority,
      change.path ?? this.path,
      change.query ?? this.query,
      change.fragment ?? this.fragment,
    );
  }
  toString(): string {
    const path = this.path.split("/").map(encodeURIComponent).join("/");
    const tail = (this.query ? `?${this.query}` : "") + (this.fragment ? `#${this.fragment}` : "");
    return `${this.scheme}://${this.authority}${path}${tail}`;
  }
}

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(a: Position | number, b: Position | number, c?: number, d?: number) {
    this.start = typeof a === "number" ? new Position(a, b as number) : a;
    this.end = typeof a === "number" ? new Position(c ?? 0, d ?? 0) : (b as Position);
  }
  get isEmpty(): boolean {
    return this.start.line === this.end.line && this.start.character === this.end.character;
  }
}
export class Selection extends Range {
  get active(): Position {
    return this.end;
  }
  get anchor(): Position {
    return this.start;
  }
}

export class ThemeColor {
  constructor(readonly id: string) {}
}
export class ThemeIcon {
  static readonly File = new ThemeIcon("file");
  static readonly Folder = new ThemeIcon("folder");
  constructor(
    readonly id: string,
    readonly color?: ThemeColor,
  ) {}
}
export class TabInputText {
  constructor(readonly uri: Uri) {}
}
export class MarkdownString {
  isTrusted: boolean | { enabledCommands: string[] } = false;
  supportHtml = false;
  supportThemeIcons = false;
  constructor(public value = "") {}
  appendText(text: string): this {
    this.value += text.replace(/[\\`*_{}[\]()#+\-!~<>]/g, "\\$&").replaceAll("\n", "\n\n").replaceAll(" ", "&nbsp;");
    return this;
  }
  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
  appendCodeblock(code: string, language = ""): this {
    this.value += `\n\`\`\`${language}\n${code}\n\`\`\`\n`;
    return this;
  }
}
export class TreeItem {
  id?: string;
  description?: string | boolean;
  tooltip?: string | MarkdownString;
  contextValue?: string;
  iconPath?: unknown;
  command?: { command: string; title: string; arguments?: unknown[] };
  accessibilityInformation?: { label: string; role?: string };
  resourceUri?: Uri;
  constructor(
    public label: string | { label: string },
    public collapsibleState: TreeItemCollapsibleState = TreeItemCollapsibleState.None,
  ) {}
}
export enum TreeItemCollapsibleState {
  None,
  Collapsed,
  Expanded,
}
export enum ConfigurationTarget {
  Global = 1,
  Workspace,
  WorkspaceFolder,
}
export enum ProgressLocation {
  SourceControl = 1,
  Window = 10,
  Notification = 15,
}
export enum ViewColumn {
  Active = -1,
  Beside = -2,
  One = 1,
}
export enum QuickPickItemKind {
  Separator = -1,
  Default = 0,
}
export enum LanguageStatusSeverity {
  Information,
  Warning,
  Error,
}
export enum StatusBarAlignment {
  Left = 1,
  Right,
}
export enum LogLevel {
  Off,
  Trace,
  Debug,
  Info,
  Warning,
  Error,
}
export class McpStdioServerDefinition {
  cwd?: Uri;
  constructor(
    public label: string,
    public command: string,
    public args: string[] = [],
    public env: Record<string, string | number | null> = {},
    public version?: string,
  ) {}
}

/** A panel with a page in it; a test is its script: `say` comes from the page, `posted` went to it. */
export class FakePanel {
  private readonly said = new EventEmitter<unknown>();
  private readonly ended = new EventEmitter<void>();
  private readonly seen = new EventEmitter<void>();
  readonly posted: unknown[] = [];
  readonly onDidDispose = this.ended.event;
  readonly onDidChangeViewState = this.seen.event;
  readonly webview = {
    html: "",
    options: {} as Record<string, unknown>,
    cspSource: "https://page.test",
    onDidReceiveMessage: this.said.event,
    asWebviewUri: (uri: Uri): Uri => uri,
    postMessage: (message: unknown): Promise<boolean> => {
      this.posted.push(message);
      return Promise.resolve(true);
    },
  };
  visible = true;
  active = true;
  disposed = false;
  revealed = 0;
  viewColumn = ViewColumn.One;
  iconPath: unknown;
  constructor(
    readonly viewType: string,
    public title: string,
  ) {}
  say(message: unknown): void {
    this.said.fire(message);
  }
  see(visible: boolean): void {
    this.visible = visible;
    this.seen.fire();
  }
  reveal(): void {
    this.revealed += 1;
  }
  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    this.ended.fire();
  }
}

/** A view with a tree in it. A test looks at it with `see`, chooses with `selection`, and opens with `expand`. */
export class FakeTreeView {
  private readonly seen = new EventEmitter<{ visible: boolean }>();
  private readonly expanded = new EventEmitter<{ element: unknown }>();
  private readonly collapsed = new EventEmitter<{ element: unknown }>();
  readonly onDidChangeVisibility = this.seen.event;
  readonly onDidExpandElement = this.expanded.event;
  readonly onDidCollapseElement = this.collapsed.event;
  readonly onDidChangeSelection = new EventEmitter<unknown>().event;
  readonly revealed: unknown[] = [];
  visible = false;
  selection: unknown[] = [];
  badge: { value: number; tooltip: string } | undefined;
  description: string | undefined;
  message: string | undefined;
  constructor(
    readonly id: string,
    readonly options: { treeDataProvider: unknown },
  ) {}
  see(visible = true): void {
    this.visible = visible;
    this.seen.fire({ visible });
  }
  expand(element: unknown): void {
    this.expanded.fire({ element });
  }
  collapse(element: unknown): void {
    this.collapsed.fire({ element });
  }
  reveal(element: unknown): Promise<void> {
    this.revealed.push(element);
    return Promise.resolve();
  }
  dispose(): void {}
}

/** What tests set and read. */
export const fake = {
  trees: new Map<string, FakeTreeView>(),
  panels: [] as FakePanel[],
  serializers: new Map<string, unknown>(),
  contents: new Map<string, unknown>(),
  mcp: new Map<string, unknown>(),
  copied: [] as string[],
  settings: new Map<string, unknown>(),
  commands: new Map<string, (...args: never[]) => unknown>(),
  /** Every command that was run, whether somebody registered it or not. */
  ran: [] as { id: string; args: unknown[] }[],
  messages: [] as { level: "info" | "warning" | "error"; text: string; items: unknown[] }[],
  /** What the user answers, first in, first out: to a message, a quick pick or an input box. */
  answers: [] as unknown[],
  asked: [] as { what: "pick" | "input"; options: unknown; items?: unknown }[],
  configurationMoved: new EventEmitter<{ affectsConfiguration(section: string): boolean }>(),
  foldersMoved: new EventEmitter<unknown>(),
  trustGranted: new EventEmitter<void>(),
  terminalBegan: new EventEmitter<unknown>(),
  terminalEnded: new EventEmitter<unknown>(),
  activeEditorMoved: new EventEmitter<unknown>(),
  tabsMoved: new EventEmitter<unknown>(),
  opened: [] as unknown[],
  terminals: [] as unknown[],
  windowStateMoved: new EventEmitter<{ focused: boolean }>(),
  /** Entries of the language status. */
  languageStatus: [] as Record<string, unknown>[],
  /** Work that shows its progress: what it said, and a way to cancel it. */
  progress: [] as { options: unknown; said: unknown[]; cancel(): void }[],
  /** What the status bar said for a moment. */
  told: [] as string[],
  /** Entries of the status bar, shown or not. */
  statusBar: [] as FakeStatusBarItem[],
  reset(): void {
    fake.trees.clear();
    window.tabGroups.all = [];
    for (const each of [fake.serializers, fake.contents, fake.mcp]) each.clear();
    fake.panels.length = fake.copied.length = 0;
    fake.settings.clear();
    fake.commands.clear();
    fake.languageStatus.length = fake.progress.length = 0;
    for (const list of [fake.ran, fake.messages, fake.answers, fake.asked, fake.opened, fake.told, fake.statusBar]) list.length = 0;
    workspace.workspaceFolders = undefined;
    workspace.isTrusted = true;
    window.activeTextEditor = undefined;
  },
};

function message(level: "info" | "warning" | "error") {
  return (text: string, ...items: unknown[]): Promise<unknown> => {
    fake.messages.push({ level, text, items });
    return Promise.resolve(fake.answers.shift());
  };
}

export const workspace = {
  workspaceFolders: undefined as { uri: Uri; name: string; index: number }[] | undefined,
  isTrusted: true,
  textDocuments: [] as unknown[],
  registerTextDocumentContentProvider: (scheme: string, provider: unknown): Disposable => {
    fake.contents.set(scheme, provider);
    return new Disposable(() => fake.contents.delete(scheme));
  },
  getConfiguration(section = "") {
    const full = (key: string): string => (section ? `${section}.${key}` : key);
    return {
      get: <T>(key: string, otherwise?: T): T | undefined =>
        fake.settings.has(full(key)) ? (fake.settings.get(full(key)) as T) : otherwise,
      has: (key: string): boolean => fake.settings.has(full(key)),
      inspect: (key: string) => ({
        key: full(key),
        globalValue: fake.settings.get(full(key)),
        workspaceValue: undefined as unknown,
        workspaceFolderValue: undefined as unknown,
      }),
      update: (key: string, value: unknown): Promise<void> => {
        if (value === undefined) fake.settings.delete(full(key));
        else fake.settings.set(full(key), value);
        fake.configurationMoved.fire({ affectsConfiguration: (asked) => full(key).startsWith(asked) });
        return Promise.resolve();
      },
    };
  },
  getWorkspaceFolder: (uri: Uri) =>
    workspace.workspaceFolders?.find((folder) => uri.path === folder.uri.path || uri.path.startsWith(`${folder.uri.path}/`)),
  asRelativePath: (uri: Uri | string): string => (typeof uri === "string" ? uri : uri.path),
  openTextDocument: (what: unknown): Promise<unknown> => {
    fake.opened.push(what);
    return Promise.resolve({ uri: what });
  },
  onDidChangeConfiguration: fake.configurationMoved.event,
  onDidChangeWorkspaceFolders: fake.foldersMoved.event,
  onDidGrantWorkspaceTrust: fake.trustGranted.event,
  onDidSaveTextDocument: new EventEmitter<unknown>().event,
};

export const window = {
  createOutputChannel: (name: string): Record<string, unknown> => {
    const say = (): void => undefined;
    const level = { logLevel: 3, onDidChangeLogLevel: new EventEmitter<number>().event };
    return { name, ...level, trace: say, debug: say, info: say, warn: say, error: say, append: say, show: say, dispose: say };
  },
  tabGroups: { all: [] as { tabs: { input: unknown }[] }[], onDidChangeTabs: fake.tabsMoved.event },
  createTreeView: (id: string, options: { treeDataProvider: unknown }): FakeTreeView => {
    const view = new FakeTreeView(id, options);
    fake.trees.set(id, view);
    return view;
  },
  createWebviewPanel: (viewType: string, title: string): FakePanel => {
    const panel = new FakePanel(viewType, title);
    fake.panels.push(panel);
    return panel;
  },
  registerWebviewPanelSerializer: (viewType: string, serializer: unknown): Disposable => {
    fake.serializers.set(viewType, serializer);
    return new Disposable(() => fake.serializers.delete(viewType));
  },
  activeTextEditor: undefined as unknown,
  onDidChangeActiveTextEditor: fake.activeEditorMoved.event,
  onDidStartTerminalShellExecution: fake.terminalBegan.event,
  onDidEndTerminalShellExecution: fake.terminalEnded.event,
  createTerminal: (options: unknown): { show(): void } => ({ show: () => fake.terminals.push(options) }),
  showInformationMessage: message("info"),
  showWarningMessage: message("warning"),
  showErrorMessage: message("error"),
  showQuickPick: async (items: unknown, options?: unknown): Promise<unknown> => {
    const known: unknown = await items;
    fake.asked.push({ what: "pick", options, items: known });
    const answer = fake.answers.shift();
    return typeof answer === "function" ? (answer as (items: unknown) => unknown)(known) : answer;
  },
  showInputBox: (options?: unknown): Promise<unknown> => {
    fake.asked.push({ what: "input", options });
    const answer = fake.answers.shift();
    return Promise.resolve(typeof answer === "function" ? (answer as (options: unknown) => unknown)(options) : answer);
  },
  setStatusBarMessage: (text: string): Disposable => {
    fake.told.push(text);
    return new Disposable();
  },
  createInputBox: (): FakeInputBox => new FakeInputBox(),
  createQuickPick: (): FakeQuickPick => new FakeQuickPick(),
  createStatusBarItem: (id: string): FakeStatusBarItem => new FakeStatusBarItem(id),
  showWorkspaceFolderPick: (): Promise<unknown> => Promise.resolve(fake.answers.shift()),
  showTextDocument: (what: unknown): Promise<unknown> => {
    fake.opened.push(what);
    return Promise.resolve({});
  },
  withProgress: <T>(options: unknown, work: (progress: unknown, token: unknown) => Promise<T>): Promise<T> => {
    const source = new CancellationTokenSource();
    const said: unknown[] = [];
    fake.progress.push({ options, said, cancel: () => source.cancel() });
    return work({ report: (value: unknown) => said.push(value) }, source.token);
  },
  onDidChangeWindowState: fake.windowStateMoved.event,
  showOpenDialog: (): Promise<unknown> => Promise.resolve(fake.answers.shift()),
};

export const commands = {
  registerCommand(id: string, work: (...args: never[]) => unknown): Disposable {
    if (fake.commands.has(id)) throw new Error(`command ${id} is registered already`);
    fake.commands.set(id, work);
    return new Disposable(() => fake.commands.delete(id));
  },
  executeCommand(id: string, ...args: unknown[]): Promise<unknown> {
    fake.ran.push({ id, args });
    const work = fake.commands.get(id) as ((...args: unknown[]) => unknown) | undefined;
    return Promise.resolve(work?.(...args));
  },
};

export const l10n = {
  t: (text: string | { message: string }, ...args: (string | number | boolean | Record<string, string | number>)[]): string => {
    const pattern = typeof text === "string" ? text : text.message;
    const named = args.length === 1 && typeof args[0] === "object" ? args[0] : undefined;
    return pattern.replace(/\{(\w+)\}/g, (gap: string, key: string) => {
      const value = named ? named[key] : args[Number(key)];
      return value === undefined || typeof value === "object" ? gap : String(value);
    });
  },
};
export const languages = {
  createLanguageStatusItem: (id: string, selector: unknown): Record<string, unknown> => {
    const item = { id, selector, dispose: () => undefined };
    fake.languageStatus.push(item);
    return item;
  },
};
export const version = "1.101.0";
export const lm = {
  registerMcpServerDefinitionProvider: (id: string, provider: unknown): Disposable => {
    fake.mcp.set(id, provider);
    return new Disposable(() => fake.mcp.delete(id));
  },
};
export const env = {
  remoteName: undefined as string | undefined,
  appName: "Visual Studio Code",
  language: "en",
  clipboard: { writeText: (text: string): Promise<void> => Promise.resolve(void fake.copied.push(text)) },
};
export const extensions = { getExtension: (_id: string): unknown => undefined };
