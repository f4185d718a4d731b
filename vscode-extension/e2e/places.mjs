/** Where things lie that the end-to-end suite stands on, and one sentence for each that is missing. */
import { existsSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import path from "node:path";

export const extension = fileURLToPath(new URL("..", import.meta.url));
export const project = path.dirname(extension.replace(/\/$/, ""));
export const artefacts = path.join(extension, "e2e", "artefacts");
/** Kept from run to run: the sources of the repository that is opened. */
export const kept = path.join(project, ".tools", "e2e");

const workbench = process.env.MEMLSP_WORKBENCH || path.join(project, ".tools", "workbench");

/** The Node that the workbench is built for; the one that runs this file may be older. */
export const node = path.join(workbench, "node", "current", "bin", "node");
export const codeServer = path.join(workbench, "code", "node_modules", "code-server", "out", "node", "entry.js");
/** The extensions that come with the workbench. */
export const codeExtensions = path.join(workbench, "code", "node_modules", "code-server", "lib", "vscode", "extensions");
export const chromium = process.env.CHROMIUM || "/usr/bin/chromium";
/** The project's own server, for trying a part without the installed one. */
export const memlsp = path.join(project, ".venv", "bin", "memlsp");
export const python = path.join(project, ".venv", "bin", "python");

/** What is not there, as sentences; empty when the suite can run. */
export function missing() {
  const wanted = {
    [node]: "the workbench's Node: bash e2e/install.sh",
    [codeServer]: "the workbench: bash e2e/install.sh",
    [path.join(workbench, "driver", "node_modules", "playwright-core")]: "the browser's driver: bash e2e/install.sh",
    [chromium]: "Chromium: apt-get install chromium, or set CHROMIUM",
    [memlsp]: "memlsp: make install, at the top of the project",
  };
  return Object.entries(wanted).flatMap(([place, what]) => (existsSync(place) ? [] : [`${what} (${place} is not there)`]));
}

/** Playwright, from the workbench's folder: the extension does not depend on it. */
export function driver() {
  return createRequire(path.join(workbench, "driver", "package.json"))("playwright-core");
}

export function folder(...parts) {
  const place = path.join(...parts);
  mkdirSync(place, { recursive: true });
  return place;
}
