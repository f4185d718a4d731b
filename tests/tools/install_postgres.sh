#!/usr/bin/env bash
# Installs Debian's PostgreSQL, whose programs the tests of the exchange start in a folder of their own. Where that is not
# possible they are skipped with a reason, and nothing fails.
set -euo pipefail

if compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null; then
  echo "PostgreSQL: already there"
elif [[ "$(id -u)" != 0 ]] || ! command -v apt-get >/dev/null; then
  echo "PostgreSQL: not installed, which takes root and apt-get (its tests will be skipped)" >&2
else
  # no server of the machine's own is made and started
  conf=/etc/postgresql-common/createcluster.conf
  [[ -e "$conf" ]] || { mkdir -p "$(dirname "$conf")" && echo 'create_main_cluster = false' >"$conf"; }
  export DEBIAN_FRONTEND=noninteractive
  if { apt-get update && apt-get install --yes --no-install-recommends postgresql; } >/dev/null; then
    echo "PostgreSQL: installed"
  else
    echo "PostgreSQL: apt-get could not install it (its tests will be skipped)" >&2
  fi
fi
