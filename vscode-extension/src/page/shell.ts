/** The page's frame: one stylesheet and one script of the extension's own, and nothing else, from nowhere else. */
import { randomBytes } from "node:crypto";
import * as vscode from "vscode";

/** Where the page's files lie in the extension; the page can read nothing else. */
export function pageFolder(extension: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extension, "dist", "page");
}

/** The html of an empty page that says `waiting` until its script has something to draw. */
export function shell(webview: Pick<vscode.Webview, "asWebviewUri" | "cspSource">, extension: vscode.Uri, waiting: string): string {
  const nonce = randomBytes(16).toString("base64url");
  const at = (name: string): string => escaped(webview.asWebviewUri(vscode.Uri.joinPath(pageFolder(extension), name)).toString());
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${escaped(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${at("page.css")}">
<title>memlsp</title>
</head>
<body>
<main aria-busy="true"><p>${escaped(waiting)}</p></main>
<p role="status" class="heard"></p>
<script nonce="${nonce}" src="${at("page.js")}"></script>
</body>
</html>`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`);
}
