# Every task of the project. CI calls only these.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION := $(shell cat VERSION)
GOFLAGS_RELEASE := -trimpath -ldflags '-s -w -X main.version=$(VERSION)'
EXE := $(shell go env GOEXE)
GASOLINE := bin/gasoline$(EXE)
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
STATICCHECK := go tool -modfile=tools/go.mod staticcheck
FUZZTIME ?= 10s

.PHONY: help build gen check mutate test go-test sdk-go sdk-python ts-test sdk-node race fuzz openapi e2e otlp collector clients clients-install bench sdk-bench soak wpt head-to-head ext demo release clean chromium

help: ## Show the tasks
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

build: ## Build the program into bin/
	@CGO_ENABLED=0 go build $(GOFLAGS_RELEASE) -o $(GASOLINE) ./cmd/gasoline

node_modules/.installed: package-lock.json
	@echo "── installing the JavaScript packages"
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@

ext: node_modules/.installed ## Build the extension into extension/dist and a zip
	@npm run --silent build --workspace @gasoline/extension

gen: ## Write what is generated from declarations
	@go run ./internal/gen

check: node_modules/.installed ## Formatting, vet, staticcheck, types, lint, sizes, generated files
	@echo "── go: format, vet, staticcheck, generated files"
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); echo 'run gofmt -w on these'; exit 1; }
	@go mod verify > /dev/null
	@go mod tidy -diff > /dev/null || { echo "go.mod is not tidy"; exit 1; }
	@go vet ./...
	@$(STATICCHECK) ./...
	@go run ./internal/gen -check
	@! grep -n '"resolved": "http' package-lock.json e2e/clients/package-lock.json e2e/head-to-head/package-lock.json e2e/otlp/node/package-lock.json sdk/node/tests/more/package-lock.json || { echo 'package-lock.json names a registry; see .npmrc'; exit 1; }
	@echo "── typescript: types, lint, format"
	@npm run --silent check
	@npm run --silent size --workspace @gasoline/capture
	@node sdk/node/build.mjs --check

chromium: node_modules/.installed ## Find or install Chromium
	@node scripts/chromium.mjs

test: ## Everything: checks, Go with the race detector, TypeScript, browser, MCP clients
	@node scripts/suite.mjs check go-test sdk-go sdk-python ts-test sdk-node e2e clients --beside clients-install:clients

go-test: ## Go tests with the race detector
	@echo "── go tests with the race detector"
	@go test -race -vet=off ./... # make check vets
	@cd examples && GOWORK=off go vet ./... && GOWORK=off go test ./...

race: go-test

OLDEST_GO := go1.21.13

sdk-go: build ## Tests of the Go SDK, also with SQLite and the program
	@echo "── Go SDK"
	@cd sdk/go && GOWORK=off go vet ./... && GOWORK=off go test -race ./...
	@cd sdk/go && if GOTOOLCHAIN=$(OLDEST_GO) go version >/dev/null 2>&1; then GOWORK=off GOTOOLCHAIN=$(OLDEST_GO) go test ./...; \
	  else echo "the tests were not run with $(OLDEST_GO), the oldest that the SDK is for: it is not here and cannot be had"; fi
	@cd sdk/go/integration && GOWORK=off go vet . && GOWORK=off go test -count=1 .

sdk-python: build ## Tests of the Python SDK, also with frameworks and the program (needs Python)
	@e2e/python.sh sdk-python 3.9 .cache/sdk/python sdk/python/tests/requirements.txt
	@echo "── Python SDK"
	@cd sdk/python && ../../.cache/sdk/python/bin/python -B -W error::ResourceWarning -m unittest discover -s tests -t .

sdk-bench: build node_modules/.installed ## What the SDKs cost a program, also one that logs ten times too much (SHORT=1: for seconds)
	@npm run --silent bench --workspace @gasoline/node -- $(if $(SHORT),--short)
	@cd sdk/go && GOWORK=off go test -run '^$$' -bench . .
	@e2e/python.sh sdk-bench 3.9 .cache/sdk/python sdk/python/tests/requirements.txt
	@cd sdk/python && ../../.cache/sdk/python/bin/python -B -m tests.bench

ts-test: node_modules/.installed chromium ## Tests of the capture core and the extension
	@echo "── capture core in Chromium"
	@npm test --silent --workspace @gasoline/capture
	@echo "── extension in Chromium"
	@npm run --silent build --workspace @gasoline/extension
	@npm test --silent --workspace @gasoline/extension

sdk/node/tests/more/node_modules/.installed: sdk/node/tests/more/package-lock.json
	@echo "── installing Next and better-sqlite3 (550 MB)"
	@cd sdk/node/tests/more && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

sdk-node: build node_modules/.installed sdk/node/tests/more/node_modules/.installed ## Tests of the SDK for Node, with frameworks, drivers and the daemon
	@echo "── SDK for Node"
	@npm test --silent --workspace @gasoline/node

e2e: build ext chromium ## The real program, extension, Chromium and MCP clients together
	@echo "── end to end"
	@npm test --silent --workspace @gasoline/e2e

openapi: build ## Try the OpenAPI document against the daemon with schemathesis (needs Python)
	@echo "── openapi"
	@e2e/openapi/run.sh

# npm ci refuses a lock file that lacks the packages of platforms which a registry does not have. The clients'
# install scripts are not needed: their programs lie in the packages of the platforms.
e2e/clients/node_modules/.installed: e2e/clients/package-lock.json
	@echo "── installing the MCP clients (1.2 GB)"
	@cd e2e/clients && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

clients-install: e2e/clients/node_modules/.installed
	@e2e/python.sh clients 3.11 .cache/clients e2e/clients/requirements.txt || test $$? -eq 69

clients: build node_modules/.installed e2e/clients/node_modules/.installed ## Real MCP clients against a scripted model (some need Python)
	@echo "── real MCP clients"
	@cd e2e/clients && node --import ../../scripts/ts.mjs run.ts

TELEMETRYGEN := github.com/open-telemetry/opentelemetry-collector-contrib/cmd/telemetrygen@v0.161.0

e2e/otlp/node/node_modules/.installed: e2e/otlp/node/package-lock.json
	@echo "── installing OpenTelemetry's SDK for Node"
	@cd e2e/otlp/node && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

.cache/otlp/bin/telemetrygen:
	@echo "── installing telemetrygen"
	@GOBIN="$(CURDIR)/.cache/otlp/bin" GOWORK=off GOFLAGS= go install $(TELEMETRYGEN)

otlp: build e2e/otlp/node/node_modules/.installed .cache/otlp/bin/telemetrygen ## Real OpenTelemetry SDKs and telemetrygen against the program (needs Python, ports 4317 and 4318)
	@e2e/python.sh otlp 3.9 .cache/otlp/python e2e/otlp/requirements.txt
	@echo "── OpenTelemetry SDKs"
	@cd e2e/otlp && GOWORK=off go vet . && GOWORK=off go test -count=1 .

collector: build ## A real OpenTelemetry Collector, Jaeger, Loki and VictoriaLogs with the program (builds them once, which takes long)
	@e2e/collector/build.sh
	@echo "── Collector, Jaeger, Loki, VictoriaLogs"
	@cd e2e/collector && GOWORK=off go vet ./... && GOWORK=off go test -count=1 .

fuzz: ## Fuzz every decoder for FUZZTIME each (10s)
	@for pkg in $$(go list ./...); do \
	  for f in $$(go test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "── $$pkg $$f"; go test -run '^$$' -fuzz "^$$f$$" -fuzztime $(FUZZTIME) $$pkg; \
	  done; done

mutate: node_modules/.installed chromium ## Break the code on purpose and see the tests notice it
	@echo "── breaks of Go"
	@failed=0; (cd tools && GOWORK=off go run ./mutate -report ../docs/benchmarks.md) || failed=1; \
	  echo "── breaks of the page's side"; \
	  node tools/mutate-ts/main.mjs --report docs/benchmarks.md || failed=1; \
	  exit $$failed

bench: build ext chromium ## Measure what docs/benchmarks.md lists, and write it
	@go run ./bench

e2e/head-to-head/node_modules/.installed: e2e/head-to-head/package-lock.json
	@echo "── installing two other tools and the libraries of the pages"
	@cd e2e/head-to-head && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

head-to-head: build ext chromium e2e/head-to-head/node_modules/.installed ## Gasoline beside other tools on pages of real libraries, into docs/benchmarks.md
	@cd e2e/head-to-head && node --import ../../scripts/ts.mjs run.ts

soak: build ext chromium ## Long runs: worker lifetime, floods, reconnects
	@npm run --silent soak --workspace @gasoline/e2e

wpt: ext chromium ## Web platform tests with and without the extension: WPT_DIR=checkout WPT="paths" (needs Python)
	@WPT_DIR="$(WPT_DIR)" e2e/wpt/run.sh $(WPT)

demo: build ext chromium ## Play a failing checkout and print what an agent sees (KEEP=1 leaves it open)
	@node --import ./scripts/ts.mjs examples/demo.ts

release: ext ## Build every platform into dist/
	@mkdir -p dist
	@for p in $(PLATFORMS); do \
	  os=$${p%/*}; arch=$${p#*/}; ext=""; [ "$$os" = windows ] && ext=.exe; \
	  echo "── $$os/$$arch"; \
	  CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build $(GOFLAGS_RELEASE) -o dist/gasoline-$$os-$$arch$$ext ./cmd/gasoline; \
	done
	@cp extension/gasoline-extension.zip dist/
	@cd dist && sha256sum gasoline-* > SHA256SUMS

clean: ## Remove what was built
	@rm -rf bin dist extension/dist extension/*.zip capture/dist node_modules e2e/clients/node_modules e2e/head-to-head/node_modules test-results
