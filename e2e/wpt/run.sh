#!/usr/bin/env bash
# Runs web platform tests in Chromium without and with the extension, and names the subtests that end differently.
#
#   WPT_DIR=FOLDER e2e/wpt/run.sh PATH…
#
# FOLDER is a checkout of web-platform-tests, or the part of one that the tests need with "resources" and "common". A PATH
# in it is a test, or a folder of tests. Needs Python 3.10 or newer; its packages go into .cache.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ -z "${WPT_DIR:-}" ]; then
  echo 'wpt: WPT_DIR names no checkout of web-platform-tests. Example: make wpt WPT_DIR=~/wpt WPT="fetch/api/abort console"' >&2
  exit 64
fi
e2e/python.sh wpt 3.10 .cache/wpt e2e/wpt/requirements.txt
exec node e2e/wpt/run.mjs "$@"
