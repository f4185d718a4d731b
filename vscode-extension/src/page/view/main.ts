/** The script of the page: where its window and the editor meet. */
import { beginPage, type Host } from "./page";

declare function acquireVsCodeApi(): Host;

const host = acquireVsCodeApi();
const hear = beginPage(host);
window.addEventListener("message", (event: MessageEvent<unknown>) => hear(event.data));
