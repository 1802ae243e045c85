#!/usr/bin/env bash
# Tries the daemon's OpenAPI document against the real daemon with schemathesis: generated requests, good
# and bad ones, on every route that answers at once. Bounded in time. Needs Python 3.10 or newer; the
# packages go into .cache. SECONDS_TO_TRY and EXAMPLES change the bounds.
set -euo pipefail
cd "$(dirname "$0")/../.."

venv=.cache/openapi
e2e/python.sh openapi 3.10 "$venv" e2e/openapi/requirements.txt

work=$(mktemp -d)
daemon=
finish() {
  if [ -n "$daemon" ]; then kill "$daemon" 2> /dev/null && wait "$daemon" 2> /dev/null || true; fi
  rm -rf "$work"
}
trap finish EXIT
# It is ours until the end of this script.
coproc hold { node scripts/port.mjs; }
read -r port <&"${hold[0]}"
bin/gasoline serve --port "$port" --state-dir "$work/state" 2> "$work/log" &
daemon=$!
for _ in $(seq 200); do
  bin/gasoline status --port "$port" --state-dir "$work/state" > /dev/null 2>&1 && break
  sleep 0.05
done

tries=0
# try SECONDS CHECKS ARGUMENT... runs schemathesis.
try() {
  local seconds=$1 checks=$2
  shift 2
  (cd "$work" && PYTHONPATH="$OLDPWD/e2e/openapi" SCHEMATHESIS_HOOKS=otlp timeout 110 "$OLDPWD/$venv/bin/st" run "$OLDPWD/schema/openapi.json" \
    --url "http://127.0.0.1:$port" --header "Authorization: Bearer $(cat state/token)" \
    --checks "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,unsupported_method$checks" \
    --phases examples,coverage,fuzzing --max-examples "${EXAMPLES:-30}" --max-time "$seconds" \
    ${GASOLINE_RESULTS:+--report junit --report-junit-path "$GASOLINE_RESULTS/openapi-$((++tries)).xml"} \
    --request-timeout 10 --generation-database none --warnings off --no-color "$@") || {
    echo "the daemon's log:" >&2
    tail -20 "$work/log" >&2
    exit 1
  }
}

# OTLP for itself: what its schemas allow is taken, every record of it.
try "${SECONDS_TO_TRY:-45}" ,positive_data_acceptance,nothing_refused --include-path-regex '^/v1/'
# Left out: what ends the daemon, what hands over the connection, and the poll, which waits.
try "${SECONDS_TO_TRY:-45}" "" --exclude-path-regex '^/(shutdown|mcp|stream|pending-queries|v1/.*)$'

# The bodies had records, and they were read.
metrics=$("$venv/bin/python" - "http://127.0.0.1:$port/metrics" "$work/state/token" << 'END'
import sys, urllib.request
token = open(sys.argv[2]).read().strip()
request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + token})
print(urllib.request.urlopen(request).read().decode())
END
)
for records in logs:taken traces:taken metrics:left_out; do
  line="gasoline_otlp_records_total{signal=\"${records%:*}\",outcome=\"${records#*:}\"}"
  n=$(grep -F "$line" <<< "$metrics" | cut -d' ' -f2)
  echo "openapi: $records $n"
  [ "${n:-0}" -gt 0 ] || { echo "openapi: no request had ${records%:*} that were read" >&2; exit 1; }
done
kill -0 "$daemon" || { echo "openapi: the daemon ended" >&2; exit 1; }
