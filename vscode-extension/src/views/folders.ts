/** The folders whose memories the views ask, and where in them a place is. */
import * as vscode from "vscode";
import type { Belief } from "../wire";
import type { Place } from "./row";

export interface Folder {
  readonly uri: string;
  readonly name: string;
}

export function folders(): Folder[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => ({ uri: folder.uri.toString(), name: folder.name }));
}

/** The document of a place; undefined when its path leads out of its workspace, which no path of ours does. */
export function documentOf(place: Place): vscode.Uri | undefined {
  const parts = place.path.split("/");
  if (!place.root || !place.path || parts.some((part) => part === ".." || part.includes("\\"))) return undefined;
  const root = vscode.Uri.parse(place.root);
  return root.scheme === "file" ? vscode.Uri.joinPath(root, ...parts) : undefined;
}

/** Where a belief is tied to the code, its first anchor; undefined for what applies more widely. */
export function placeOf(belief: Belief): Place | undefined {
  const anchor = belief.anchors[0];
  return anchor && { root: belief.root, path: anchor.path, line: anchor.line };
}

/** `src/prices.py#total`, as people write places. */
export function placeName(spot: { path: string; symbol: string | null }): string {
  return spot.symbol ? `${spot.path}#${spot.symbol}` : spot.path;
}
