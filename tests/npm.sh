# Sourced by tests that use npm packages. A test that exits 77 was skipped; its last line says why.
skip() {
  echo "skipped: $1"
  exit 77
}
# npm_packages FOLDER: installs what the lock file of FOLDER names, as it names it, and runs no script of a package.
# Without node 20, npm or the packages the test is skipped.
npm_packages() {
  local folder=$1 major
  command -v node >/dev/null || skip "node is not installed"
  command -v npm >/dev/null || skip "npm is not installed"
  major=$(node -p 'process.versions.node.split(".")[0]')
  [ "$major" -ge 20 ] || skip "node $major is older than 20"
  if ! cmp -s "$folder/package-lock.json" "$folder/node_modules/.ki-lock"; then
    (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) ||
      skip "npm ci failed: are the packages reachable?"
    cp "$folder/package-lock.json" "$folder/node_modules/.ki-lock"
  fi
}
