#!/usr/bin/env bash
# Puts the workbench that the end-to-end suite drives into .tools/workbench (git-ignored): bash e2e/install.sh [FOLDER].
# What is there at the pinned versions is left alone. Everything comes from the package registries; Chromium, and the
# compiler for the two native modules that have no ready-made build, come from apt where they are missing.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
place=$(realpath -m "${1:-.tools/workbench}")

node=24.9.0          # carries its headers, so that nothing is downloaded while modules are built
code=4.139.1         # code-server: the workbench of Code 1.139.1
driver=1.65.1        # playwright-core
pins="node $node, code-server $code, playwright-core $driver, layout 2"

# Parts of the workbench that no scenario touches: its own agents (which want accounts), dev containers, single sign-on.
# They are more than half of what would have to be downloaded, and all but two of the modules that would be compiled.
left_out=(@devcontainers/cli @github/copilot-sdk @microsoft/mxc-sdk @vscode/copilot-api @vscode/sandbox-runtime
  @vscode/sqlite3 @vscode/windows-process-tree @vscode/windows-registry kerberos ssh2)

say() { printf 'workbench: %s\n' "$*"; }

unavailable() { # a machine where it cannot be installed skips these tests; continuous integration does not
  say "not installed, $* (the end-to-end suite will be skipped)" >&2
  [[ "${CI:-}" != true ]] && exit 0
  exit 1
}

system_packages() {
  local wanted=()
  [[ -x ${CHROMIUM:-/usr/bin/chromium} ]] || wanted+=(chromium)
  command -v g++ >/dev/null || wanted+=(g++)
  command -v make >/dev/null || wanted+=(make)
  ((${#wanted[@]})) || return 0
  command -v apt-get >/dev/null || unavailable "there is no apt-get to get ${wanted[*]} with"
  local root=()
  if [[ $(id -u) != 0 ]]; then
    sudo -n true 2>/dev/null || unavailable "apt-get install ${wanted[*]} needs root"
    root=(sudo -n)
  fi
  say "apt-get install ${wanted[*]}"
  "${root[@]}" apt-get update -qq
  DEBIAN_FRONTEND=noninteractive "${root[@]}" apt-get install -y -qq --no-install-recommends "${wanted[@]}" >/dev/null
}

# Installs packages into a folder of their own without running anything of theirs.
into() {
  mkdir -p "$place/$1"
  echo '{"private": true}' >"$place/$1/package.json"
  npm install --prefix "$place/$1" --ignore-scripts --save-exact --no-audit --no-fund --no-package-lock --loglevel=error "${@:2}"
}

# The modules that the workbench's server needs, without `left_out`.
server_modules() {
  local server=$place/code/node_modules/code-server/lib/vscode
  "$runtime/bin/node" - "$server/package.json" "${left_out[@]}" <<'JS'
const [, , file, ...leftOut] = process.argv;
const fs = require("node:fs");
const manifest = JSON.parse(fs.readFileSync(file, "utf8"));
for (const name of leftOut) delete manifest.dependencies[name];
delete manifest.overrides;
fs.writeFileSync(file, JSON.stringify(manifest, null, 2));
JS
  npm install --prefix "$server" --ignore-scripts --omit=dev --no-audit --no-fund --loglevel=error
  (cd "$server" && npm rebuild --loglevel=error --foreground-scripts=false @vscode/spdlog @vscode/native-watchdog)
  ln -sf code-linux.sh "$server/bin/remote-cli/code-server"
  ln -sf browser-linux.sh "$server/bin/helpers/browser.sh"
}

if [[ -f $place/.installed && $(cat "$place/.installed") == "$pins" ]]; then
  say "already there"
  exit 0
fi
[[ $(uname -s) == Linux ]] || unavailable "it is made for Linux"
command -v npm >/dev/null || unavailable "there is no npm on this machine"
system_packages
began=$SECONDS
[[ -e $place/.workbench || -e $place/.installed || $place == */.tools/workbench || -z $(ls -A "$place" 2>/dev/null) ]] || {
  say "$place is something else's: name a folder of its own" >&2
  exit 1
}
rm -rf "$place"
mkdir -p "$place"
touch "$place/.workbench"
case $(uname -m) in aarch64 | arm64) arch=arm64 ;; *) arch=x64 ;; esac
into node "node-linux-$arch@$node" &
jobs=($!)
into driver "playwright-core@$driver" &
jobs+=($!)
into code "code-server@$code"
for job in "${jobs[@]}"; do wait "$job"; done
ln -sfn "node_modules/node-linux-$arch" "$place/node/current"
runtime=$place/node/current
export PATH=$runtime/bin:$PATH npm_config_nodedir=$runtime npm_config_jobs=2
say "downloaded after $((SECONDS - began)) s"
server_modules
"$runtime/bin/node" "$place/code/node_modules/code-server/out/node/entry.js" --version --config /dev/null
printf '%s\n' "$pins" >"$place/.installed"
say "installed into $place in $((SECONDS - began)) s"
