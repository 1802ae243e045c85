#!/usr/bin/env bash
# Installs the packages that REQUIREMENTS names into FOLDER, a virtual environment, unless they are there. They need a
# Python of VERSION (3.11) or newer. WHAT is the task of the Makefile that wants them. Prints nothing when there is nothing
# to do.
# Ends with 69 when there is no such Python, and with another code when the installation fails.
#
#   e2e/python.sh WHAT VERSION FOLDER REQUIREMENTS
set -euo pipefail
what=$1 version=$2 venv=$3 requirements=$4

python=$(command -v python3 || command -v python || true)
fits="import ensurepip, sys, venv; sys.exit(sys.version_info < (${version/./, }))"
if [ -z "$python" ] || ! "$python" -c "$fits" 2> /dev/null; then
  echo "$what: this needs Python $version or newer with venv." \
    "Install it (Debian: \"apt-get install python3-venv\"), then repeat \"make $what\"." >&2
  exit 69
fi
if ! cmp -s "$requirements" "$venv/installed.txt"; then
  echo "── installing the Python packages of $what into $venv" >&2
  "$python" -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet --no-input --disable-pip-version-check --requirement "$requirements"
  cp "$requirements" "$venv/installed.txt"
fi
