# Sourced by run and screenshots: the packages of the lock file and Chromium are there, or the test is skipped.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source "$here/../npm.sh"
[ -x "${KI_CHROMIUM:-/usr/bin/chromium}" ] || skip "chromium is not installed"
npm_packages "$here"
