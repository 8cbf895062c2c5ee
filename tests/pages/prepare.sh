# Sourced by run and screenshots: installs the packages of the lock file, or says why it cannot.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
skip() {
  echo "skipped: $1"
  exit 77
}
command -v node >/dev/null || skip "node is not installed"
command -v npm >/dev/null || skip "npm is not installed"
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || skip "node $major is older than 20"
[ -x "${KI_CHROMIUM:-/usr/bin/chromium}" ] || skip "chromium is not installed"
# The lock file decides what is installed; no script of a package runs.
if ! cmp -s "$here/package-lock.json" "$here/node_modules/.ki-lock"; then
  (cd "$here" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) ||
    skip "npm ci failed: are the packages reachable?"
  cp "$here/package-lock.json" "$here/node_modules/.ki-lock"
fi
