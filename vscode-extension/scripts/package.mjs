/**
 * Makes memlsp-VERSION.vsix: `node scripts/package.mjs [--target linux-x64 [--python 3.11,3.12]] [--out FOLDER]`.
 *
 * Without a target the .vsix runs everywhere: it carries the server as a wheel, and the versions that its tests passed
 * with, for the environment that the extension makes. With a target it carries, for each named Python, everything the
 * server imports as well, so that nothing has to be fetched; such a .vsix is some 58 MB larger for each Python.
 *
 * The same sources give the same bytes: times come from the last commit (or SOURCE_DATE_EPOCH), files are sorted.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { createVSIX } from "@vscode/vsce";

const LIMIT = 15_000_000; // bytes of a .vsix without a target: what one waits for on a slow line
const PAGES = "https://github.com/memlsp/memlsp/blob/main/vscode-extension";
const PICTURES = "https://github.com/memlsp/memlsp/raw/main/vscode-extension";

/** What the wheel is made of. */
const SERVER = ["memlsp", "pyproject.toml", "README.md", "LICENSE", "NOTICE"];

/** What pip calls the machines of a target, best first. */
const PLATFORMS = {
  "linux-x64": ["manylinux_2_28_x86_64", "manylinux2014_x86_64"],
  "linux-arm64": ["manylinux_2_28_aarch64", "manylinux2014_aarch64"],
  "alpine-x64": ["musllinux_1_2_x86_64", "musllinux_1_1_x86_64"],
  "alpine-arm64": ["musllinux_1_2_aarch64", "musllinux_1_1_aarch64"],
  "darwin-x64": ["macosx_13_0_x86_64", "macosx_11_0_x86_64", "macosx_10_15_x86_64", "macosx_10_13_universal2"],
  "darwin-arm64": ["macosx_13_0_arm64", "macosx_11_0_arm64"],
  "win32-x64": ["win_amd64"],
  "win32-arm64": ["win_arm64"],
};

const extension = path.resolve(import.meta.dirname, "..");
const project = path.dirname(extension);
const given = process.env["SOURCE_DATE_EPOCH"];

/** A copy of what is packed, so that two runs do not disturb each other. */
const stage = mkdtempSync(path.join(tmpdir(), "memlsp-package-"));
process.on("exit", () => rmSync(stage, { recursive: true, force: true }));
const bundled = path.join(stage, "bundled");
const manifest = JSON.parse(readFileSync(path.join(extension, "package.json"), "utf8"));

const { values } = parseArgs({
  options: { target: { type: "string" }, python: { type: "string", default: "3.11,3.12,3.13" }, out: { type: "string" } },
});

/** The Python that builds: the project's own environment where there is one. */
function builder() {
  const own = path.join(project, ".venv", process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  return existsSync(own) ? own : (process.env["PYTHON"] ?? "python3");
}

function run(command, args, options = {}) {
  return execFileSync(command, args, { cwd: project, stdio: ["ignore", "pipe", "inherit"], encoding: "utf8", ...options });
}

/** When these files were last changed by a commit, in seconds. */
function moment(...names) {
  if (given) return given;
  try {
    return run("git", ["log", "-1", "--format=%ct", "--", ...names], { stdio: ["ignore", "pipe", "ignore"] }).trim() || "946684800";
  } catch {
    return "946684800"; // an export without git: some moment, always the same
  }
}

function checkVersions() {
  const server = /VERSION = "([^"]+)"/.exec(readFileSync(path.join(project, "memlsp", "version.py"), "utf8"))?.[1];
  if (server !== manifest.version) {
    throw new Error(`memlsp/version.py says ${server}, vscode-extension/package.json says ${manifest.version}: make them agree`);
  }
}

/** The files a wheel is made of, and a digest of them. */
function sources() {
  const names = SERVER.filter((name) => name !== "memlsp");
  const walk = (folder) => {
    for (const entry of readdirSync(path.join(project, folder), { withFileTypes: true })) {
      const name = `${folder}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== "__pycache__") walk(name);
      else if (entry.isFile() && !entry.name.endsWith(".pyc")) names.push(name);
    }
  };
  walk("memlsp");
  names.sort();
  const digest = createHash("sha256").update(moment(...SERVER));
  for (const name of names) digest.update(name).update("\0").update(readFileSync(path.join(project, name)));
  return { names, digest: digest.digest("hex") };
}

/** The wheel, from a copy of the sources: a build folder of yesterday would put files of yesterday into it. */
function buildWheel() {
  const { names, digest } = sources();
  const kept = path.join(extension, "node_modules", ".cache", "memlsp-wheel", digest);
  if (!existsSync(kept)) {
    const copy = mkdtempSync(path.join(tmpdir(), "memlsp-wheel-"));
    try {
      for (const name of names) cpSync(path.join(project, name), path.join(copy, name));
      run(builder(), ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", path.join(copy, "made"), copy], {
        env: { ...process.env, SOURCE_DATE_EPOCH: moment(...SERVER) },
      });
      rmSync(path.dirname(kept), { recursive: true, force: true });
      cpSync(path.join(copy, "made"), kept, { recursive: true });
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  }
  const wheel = readdirSync(kept).find((name) => name.endsWith("-py3-none-any.whl"));
  if (!wheel) throw new Error(`no wheel for every platform was built: ${readdirSync(kept).join(", ")}`);
  cpSync(path.join(kept, wheel), path.join(bundled, wheel));
  return path.join(bundled, wheel);
}

/** Everything the server imports, for one Python of one platform. */
function addLibraries(wheel, target, python) {
  const platforms = PLATFORMS[target];
  if (!platforms) throw new Error(`no such target: ${target} (known: ${Object.keys(PLATFORMS).join(", ")})`);
  const folder = path.join(bundled, "libs", `cpython-${python.replace(".", "")}-${target}`);
  run(builder(), [
    ...["-m", "pip", "install", "--quiet", "--no-compile", "--only-binary=:all:", "--implementation", "cp"],
    ...["--python-version", python, ...platforms.flatMap((name) => ["--platform", name])],
    ...["--constraint", path.join(bundled, "constraints.txt"), "--target", folder, wheel],
  ]);
  rmSync(path.join(folder, "bin"), { recursive: true, force: true });
  for (const name of readdirSync(folder)) {
    // where a wheel was taken from is the business of the machine that packed it
    if (name.endsWith(".dist-info")) for (const file of ["direct_url.json", "RECORD", "INSTALLER", "REQUESTED"]) rmSync(path.join(folder, name, file), { force: true });
  }
}

checkVersions();
run(process.execPath, ["esbuild.mjs", "--production"], { cwd: extension, stdio: ["ignore", "ignore", "inherit"] });
const LEFT_OUT = new Set(["node_modules", "e2e", "test", "src", "scripts", "bundled"]);
cpSync(extension, stage, {
  recursive: true,
  filter: (place) => !LEFT_OUT.has(path.relative(extension, place)) && !place.endsWith(".vsix"),
});
mkdirSync(bundled);
const wheel = buildWheel();
writeFileSync(path.join(bundled, "constraints.txt"), readFileSync(path.join(project, "constraints.txt")));
const launcher = path.join(extension, "launcher");
if (existsSync(launcher)) cpSync(launcher, bundled, { recursive: true, filter: (name) => !name.includes("__pycache__") });
if (values.target) for (const python of values.python.split(",")) addLibraries(wheel, values.target, python);

const name = values.target ? `memlsp-${values.target}-${manifest.version}.vsix` : `memlsp-${manifest.version}.vsix`;
const packagePath = path.resolve(values.out ?? extension, name);
mkdirSync(path.dirname(packagePath), { recursive: true });
process.env["SOURCE_DATE_EPOCH"] = moment(".");
await createVSIX({
  cwd: stage,
  packagePath,
  dependencies: false, // esbuild has put everything into dist/
  baseContentUrl: PAGES,
  baseImagesUrl: PICTURES,
  // published wheels of others need no search for secrets, which takes many minutes for so many files
  ...(values.target ? { target: values.target, allowPackageAllSecrets: true, allowPackageEnvFile: true } : {}),
});
if (!values.target) {
  // for who runs the extension from the sources
  rmSync(path.join(extension, "bundled"), { recursive: true, force: true });
  cpSync(bundled, path.join(extension, "bundled"), { recursive: true });
}
const size = statSync(packagePath).size;
if (!values.target && size > LIMIT) throw new Error(`${name} has ${size} bytes, more than ${LIMIT}`);
console.log(`${path.relative(process.cwd(), packagePath)}: ${(size / 1e6).toFixed(1)} MB`);
