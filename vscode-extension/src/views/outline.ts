/**
 * A tree of rows in a view: asks for what is visible, keeps what is open, and redraws only what became different.
 *
 * Nodes live as long as their row's id does, so the editor keeps expansion, selection and focus over a refresh.
 */
import * as vscode from "vscode";
import type { Belief } from "../wire";
import { tooltip } from "./plain";
import type { Load, Row } from "./row";
import { troubleRow } from "./trouble";

export class Node {
  children: Node[] | undefined;
  /** Whether its children are wanted: what is closed is not asked for again. */
  open: boolean;

  constructor(
    public row: Row,
    readonly parent: Node | undefined,
  ) {
    this.open = row.open ?? false;
  }

  /** The belief that a page of this row would be about. */
  get named(): { readonly id: string; readonly root?: string } | undefined {
    const { belief, entry, folder } = this.row;
    if (belief) return { id: belief.id, root: belief.root };
    return entry?.what === "belief" ? { id: entry.id, ...(folder === undefined ? {} : { root: folder }) } : undefined;
  }

  /** What the actions on beliefs look for in what a menu hands over. */
  get belief(): Belief | undefined {
    return this.row.belief;
  }
}

export class Outline implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly moved = new vscode.EventEmitter<Node[] | undefined>();
  readonly onDidChangeTreeData = this.moved.event;
  private roots: Node[] | undefined;
  private asking: Promise<Node[]> | undefined;
  private turn = 0;

  /** `load` asks for the uppermost rows. */
  constructor(private readonly load: Load) {}

  getTreeItem(node: Node): vscode.TreeItem {
    const { row } = node;
    const item = new vscode.TreeItem(row.label, collapsible(node));
    item.id = row.id;
    if (row.description) item.description = row.description;
    if (row.context) item.contextValue = row.context;
    if (row.icon) {
      item.iconPath = new vscode.ThemeIcon(
        row.icon.id,
        row.icon.color ? new vscode.ThemeColor(row.icon.color) : undefined,
      );
    }
    if (row.command) item.command = { command: row.command, title: row.label, arguments: [node] };
    item.accessibilityInformation = { label: row.spoken ?? [row.label, row.description].filter(Boolean).join(", ") };
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, node: Node): vscode.TreeItem {
    item.tooltip = node.row.tip ? tooltip(node.row.tip) : node.row.label;
    return item;
  }

  getParent(node: Node): Node | undefined {
    return node.parent;
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (!node) {
      if (this.roots) return this.roots;
      this.asking ??= this.begin();
      return this.asking;
    }
    node.open = true;
    node.children ??= (await rowsBelow(node)).map((row) => new Node(row, node));
    return node.children;
  }

  /** The node of a row that is known, drawn or not. */
  find(fits: (row: Row) => boolean, among: readonly Node[] = this.roots ?? []): Node | undefined {
    for (const node of among) {
      if (fits(node.row)) return node;
      node.children ??= node.row.rows?.map((row) => new Node(row, node));
      const found = this.find(fits, node.children ?? []);
      if (found) return found;
    }
    return undefined;
  }

  /** What is closed is forgotten, and asked for when it is opened again. */
  closed(node: Node): void {
    node.open = false;
  }

  opened(node: Node): void {
    node.open = true;
  }

  /** Ask again for what is open, and redraw what is different. A later call ends an earlier one. */
  async refresh(): Promise<void> {
    if (!this.roots && !this.asking) {
      this.moved.fire(undefined);
      return;
    }
    const turn = ++this.turn;
    const late = (): boolean => turn !== this.turn;
    const fresh = await gathered(await rowsOf(this.load, late), this.roots ?? [], late);
    if (late()) return;
    if (!this.roots) {
      this.moved.fire(undefined);
      return;
    }
    const changed: Node[] = [];
    const roots = merged(undefined, this.roots, fresh, changed);
    const whole = !sameNodes(this.roots, roots);
    this.roots = roots;
    if (whole) this.moved.fire(undefined);
    else if (changed.length) this.moved.fire(changed);
  }

  dispose(): void {
    this.turn++;
    this.moved.dispose();
  }

  private async begin(): Promise<Node[]> {
    try {
      const turn = this.turn;
      this.roots = (await rowsOf(this.load, () => turn !== this.turn)).map((row) => new Node(row, undefined));
      return this.roots;
    } finally {
      this.asking = undefined;
    }
  }
}

/** A row with what is below it, as far as that is drawn and wanted. */
interface Fresh {
  readonly row: Row;
  readonly below: readonly Fresh[] | undefined;
}

/** First all is asked for, then all is put in place at once: an answer that comes too late changes nothing. */
async function gathered(rows: readonly Row[], before: readonly Node[], late: () => boolean): Promise<readonly Fresh[]> {
  const known = byId(before);
  return Promise.all(
    rows.map(async (row) => {
      const node = known.get(row.id);
      if (!node?.children || (row.load && !node.open)) return { row, below: undefined };
      const below = row.rows ?? (row.load && !late() ? await rowsOf(row.load, late, row.id) : []);
      return { row, below: await gathered(below, node.children, late) };
    }),
  );
}

/** The nodes for what is fresh, those of the same id kept; `changed` collects the uppermost that have to be redrawn. */
function merged(parent: Node | undefined, before: readonly Node[], fresh: readonly Fresh[], changed: Node[]): Node[] {
  const known = byId(before);
  return fresh.map(({ row, below }) => {
    const node = known.get(row.id);
    if (!node) return new Node(row, parent);
    const deeper: Node[] = [];
    let different = !sameRow(node.row, row);
    node.row = row;
    if (below) {
      const children = merged(node, node.children ?? [], below, deeper);
      different ||= !sameNodes(node.children ?? [], children);
      node.children = children;
    } else if (node.children && !node.open) {
      node.children = undefined;
      different = true;
    }
    if (different) changed.push(node);
    else changed.push(...deeper);
    return node;
  });
}

function byId(nodes: readonly Node[]): Map<string, Node> {
  return new Map(nodes.map((node) => [node.row.id, node]));
}

function collapsible({ row, open }: Node): vscode.TreeItemCollapsibleState {
  if (!row.load && !row.rows?.length) return vscode.TreeItemCollapsibleState.None;
  return open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed;
}

async function rowsBelow({ row }: Node): Promise<readonly Row[]> {
  return row.rows ?? (row.load ? rowsOf(row.load, () => false, row.id) : []);
}

async function rowsOf(load: Load, late: () => boolean, above = ""): Promise<readonly Row[]> {
  try {
    return await load(late);
  } catch (error) {
    return late() ? [] : [troubleRow(error, above)];
  }
}

function sameNodes(before: readonly Node[], after: readonly Node[]): boolean {
  return before.length === after.length && before.every((node, at) => node === after[at]);
}

/** Functions and the rows below are left out: those are compared for themselves. */
function sameRow(before: Row, after: Row): boolean {
  return drawn(before) === drawn(after);
}

function drawn(row: Row): string {
  return JSON.stringify({ ...row, rows: row.rows?.length ? 1 : 0, load: row.load ? 1 : 0 });
}
