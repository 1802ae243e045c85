#!/usr/bin/env bash
# Builds the servers that the tests here and those of the sources start, into gasoline-tests in the user's cache folder,
# unless they are there: the OpenTelemetry Collector, VictoriaLogs, Jaeger and Loki. All comes by Go's modules. Jaeger takes minutes, Loki more.
set -euo pipefail
cd "$(dirname "$0")"
export GOWORK=off GOFLAGS=-mod=mod
case $(uname) in Darwin) cache=$HOME/Library/Caches ;; *) cache=${XDG_CACHE_HOME:-$HOME/.cache} ;; esac
out=$cache/gasoline-tests
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

folder() { go mod download -json "$1" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p'; }

if [ ! -x "$out/otelcol-0.140.0" ]; then
  echo "── building the OpenTelemetry Collector"
  GOFLAGS= go build -o "$out/otelcol-0.140.0" ./otelcol
fi
if [ ! -x "$out/victoria-logs-1.121.0" ]; then
  echo "── building VictoriaLogs"
  cp -r "$(cd "$work" && folder github.com/VictoriaMetrics/VictoriaMetrics@v1.121.0)" "$work/victoria"
  chmod -R u+w "$work/victoria"
  (cd "$work/victoria" && CGO_ENABLED=0 go build -o "$out/victoria-logs-1.121.0" ./app/victoria-logs)
fi
if [ ! -x "$out/jaeger-2.13.0" ]; then
  echo "── building Jaeger"
  cp -r "$(cd "$work" && folder github.com/jaegertracing/jaeger@v1.76.0)" "$work/jaeger"
  chmod -R u+w "$work/jaeger"
  (cd "$work/jaeger" && go build -o "$out/jaeger-2.13.0" ./cmd/jaeger)
fi
if [ ! -x "$out/loki-3.7.8" ]; then
  echo "── building Loki"
  cp -r "$(cd "$work" && folder github.com/grafana/loki/v3@v3.7.8)" "$work/loki"
  chmod -R u+w "$work/loki"
  push=$(sed -n 's#^\tgithub.com/grafana/loki/pkg/push ##p' "$work/loki/go.mod")
  mkdir -p "$work/loki/pkg" # the module of a folder is not in its parent's
  cp -r "$(cd "$work" && folder "github.com/grafana/loki/pkg/push@$push")" "$work/loki/pkg/push"
  chmod -R u+w "$work/loki/pkg/push"
  (cd "$work/loki" && CGO_ENABLED=0 go build -o "$out/loki-3.7.8" ./cmd/loki)
fi
