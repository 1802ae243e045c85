#!/usr/bin/env bash
# Makes a Python of its own in the folder FOLDER, with the packages that REQUIREMENTS names and no others. It stays until the
# requirements change. Prints nothing when there is nothing to do.
#
#   e2e/python.sh WHAT FOLDER REQUIREMENTS
set -euo pipefail
what=$1 venv=$2 requirements=$3

python=$(command -v python3 || command -v python || true)
if [ -z "$python" ] || ! "$python" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))' 2> /dev/null; then
  echo "$what: this needs Python 3.10 or newer with venv. Install it (Debian: \"apt-get install python3-venv\"), then repeat \"make $what\"." >&2
  exit 1
fi
if ! cmp -s "$requirements" "$venv/installed.txt"; then
  echo "── installing the Python packages of $what into $venv" >&2
  "$python" -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --no-input --disable-pip-version-check --requirement "$requirements"
  cp "$requirements" "$venv/installed.txt"
fi
