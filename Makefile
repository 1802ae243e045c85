# Every task of the project. CI calls only these.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

VERSION := $(shell cat VERSION)
GOFLAGS_RELEASE := -trimpath -ldflags '-s -w -X main.version=$(VERSION)'
# One kind of build for the program, its tests, vet and the demo: what is compiled once is used by all of them. The race
# detector needs the other kind.
export CGO_ENABLED := 0

# A user whose home cannot be written has the caches in this folder.
ifneq ($(shell mkdir -p "$$HOME/.cache" 2>/dev/null && test -w "$$HOME/.cache" && echo yes),yes)
export GOCACHE ?= $(CURDIR)/.cache/go-build
export GOMODCACHE ?= $(CURDIR)/.cache/go-mod
export npm_config_cache ?= $(CURDIR)/.cache/npm
export PIP_CACHE_DIR ?= $(CURDIR)/.cache/pip
endif

EXE := $(shell go env GOEXE)
GASOLINE := bin/gasoline$(EXE)
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
FUZZTIME ?= 10s

.PHONY: help build gen check mutate test test-clients test-frameworks stress attacks clocks go-test sdk-go sdk-python sdk-node capture extension e2e fuzz openapi otlp collector clients frameworks install-clients install-frameworks bench sdk-bench soak wpt head-to-head verdicts ext demo shots release clean chromium

help: ## Show the tasks
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-16s %s\n", $$1, $$2}'

# The test suite makes these once, and sets PREPARED for the parts that use them side by side.
ifdef PREPARED
build ext chromium:
	@:
else
build: ## Build the program into bin/
	@go build -ldflags '-s -w -X main.version=$(VERSION)' -o $(GASOLINE) ./cmd/gasoline

ext: node_modules/.installed ## Build the extension into extension/dist and a zip
	@npm run --silent build --workspace @gasoline/extension

chromium: node_modules/.installed ## Find or install Chromium
	@node scripts/chromium.mjs
endif

node_modules/.installed: package-lock.json
	@echo "── installing the JavaScript packages"
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@

.cache/bin/%: tools/go.mod tools/go.sum
	@mkdir -p .cache/bin
	@cd tools && GOWORK=off go build -o ../.cache/bin/ $$(GOWORK=off go list tool | grep '/$*$$')

gen: ## Write what is generated from declarations
	@go run ./internal/gen

check: node_modules/.installed .cache/bin/staticcheck ## Formatting, vet, staticcheck, types, lint, sizes, generated files
	@node scripts/check.mjs

test: ## Every test of this repository (ALL=1: also with other programs, and every build)
	@node scripts/suite.mjs $(if $(ALL),--all)

test-clients: ## Real MCP clients (installs 1.2 GB)
	@node scripts/suite.mjs clients

test-frameworks: ## The Node SDK with Next and better-sqlite3 (installs 550 MB)
	@node scripts/suite.mjs frameworks

attacks: build ext chromium ## The tests of what docs/security.md says (ONLY=pilot: those with that word)
	@node scripts/attacks.mjs $(ONLY)

clocks: ## Tests two seconds before an hour, a day, a year and summer time end, and in other zones
	@CLOCKS=1 LOAD=0 node scripts/stress.mjs

stress: ## Parts again and again beside load: PART=go-test N=20 LOAD=2 ONLY=… CLOCKS=1 (scripts/stress.mjs)
	@node scripts/stress.mjs

# Go's tests with a JUnit file for the suite, named by the first argument; the second is -race or nothing. A result in
# Go's cache is not taken: -count=1.
# The detector lets each program sleep for a second at its end, in case that another goroutine races meanwhile: 20 ms do.
GOTEST = GORACE=atexit_sleep_ms=20 GOWORK=off CGO_ENABLED=$(if $(2),1,0) "$(CURDIR)/.cache/bin/gotestsum" --format $(if $(GASOLINE_RESULTS),standard-verbose,pkgname) \
  --hide-summary skipped $(if $(GASOLINE_RESULTS),--junitfile "$(GASOLINE_RESULTS)/$(1).xml") -- -count=1 -vet=off $(2)

# A test that runs everything in one goroutine has no races, and computes five to fifteen times as long with the
# detector: tools/racy tells the packages apart. At another clock (make stress CLOCK=…) it is left out.
go-test: .cache/bin/gotestsum ## Go tests, with the race detector where goroutines are (ONLY=./internal/store: these)
	@failed=0; \
	  $(if $(or $(ONLY),$(GASOLINE_CLOCK)),$(call GOTEST,go,$(if $(GASOLINE_CLOCK),,-race)) $(or $(ONLY),./...) || failed=1,\
	    racy=$$(cd tools && GOWORK=off go run ./racy ..); calm=$$(cd tools && GOWORK=off go run ./racy -not ..); \
	    $(call GOTEST,racy,-race) $$racy || failed=1; $(call GOTEST,calm) $$calm || failed=1); \
	  $(if $(ONLY),,(cd tools && $(call GOTEST,tools) ./...) || failed=1; \
	    (cd examples && GOWORK=off go vet ./... && $(call GOTEST,examples) ./...) || failed=1;) \
	  exit $$failed

OLDEST_GO := go1.21.13

sdk-go: build .cache/bin/gotestsum ## Tests of the Go SDK, also with SQLite and the program
	@failed=0; cd sdk/go; \
	  GOWORK=off go vet ./... || failed=1; \
	  $(call GOTEST,sdk,-race) ./... || failed=1; \
	  if GOTOOLCHAIN=$(OLDEST_GO) go version >/dev/null 2>&1; then GOTOOLCHAIN=$(OLDEST_GO) $(call GOTEST,oldest) ./... || failed=1; \
	  else node ../../scripts/left-out.mjs "sdk/go with $(OLDEST_GO)" "that version of Go is not here and cannot be had" || failed=1; fi; \
	  cd integration && GOWORK=off go vet . && $(call GOTEST,integration) . || failed=1; \
	  exit $$failed

PYTEST = "$(CURDIR)/.cache/sdk/python/bin/python" -B -W error::ResourceWarning -m pytest -q -p no:cacheprovider -p no:threadexception \
  $(if $(GASOLINE_RESULTS),-v --junitxml="$(GASOLINE_RESULTS)/python.xml")

sdk-python: build ## Tests of the Python SDK, also with frameworks and the program (needs Python)
	@e2e/python.sh sdk-python 3.9 .cache/sdk/python sdk/python/tests/requirements.txt || { \
	  code=$$?; test $$code -eq 69 || exit $$code; node scripts/left-out.mjs "the Python SDK" "it needs Python 3.9 or later with venv"; exit; }; \
	  cd sdk/python && $(PYTEST) $(or $(ONLY),tests)

sdk-bench: build node_modules/.installed ## What the SDKs cost a program (SHORT=1: for seconds)
	@npm run --silent bench --workspace @gasoline/node -- $(if $(SHORT),--short)
	@cd sdk/go && GOWORK=off go test -run '^$$' -bench . .
	@e2e/python.sh sdk-bench 3.9 .cache/sdk/python sdk/python/tests/requirements.txt
	@cd sdk/python && ../../.cache/sdk/python/bin/python -B -m tests.bench

capture: node_modules/.installed chromium ## Tests of the capture core, also in Chromium (ONLY=console.spec.ts: these)
	@cd capture && failed=0; \
	  $(if $(ONLY),,npx vitest run || failed=1;) \
	  npx playwright test $(ONLY) || failed=1; \
	  exit $$failed

extension: node_modules/.installed chromium ext ## Tests of the extension in Chromium (ONLY=popup.spec.ts: these)
	@cd extension && failed=0; \
	  $(if $(ONLY),,npx vitest run || failed=1;) \
	  npx playwright test $(ONLY) || failed=1; \
	  exit $$failed

sdk-node: build node_modules/.installed ## Tests of the SDK for Node, with frameworks, drivers and the daemon
	@cd sdk/node && node build.mjs && npx vitest run $(or $(ONLY),--exclude 'tests/more/**')

install-frameworks: sdk/node/tests/more/node_modules/.installed
sdk/node/tests/more/node_modules/.installed: sdk/node/tests/more/package-lock.json
	@echo "── installing Next and better-sqlite3 (550 MB)"
	@cd sdk/node/tests/more && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

frameworks: build node_modules/.installed install-frameworks
	@cd sdk/node && node build.mjs && npx vitest run tests/more

e2e: build ext chromium ## The real program, extension, Chromium and MCP clients together (ONLY=act.spec.ts: these)
	@cd e2e && npx playwright test --grep-invert @soak $(ONLY)

openapi: build ## Try the OpenAPI document against the daemon with schemathesis (needs Python)
	@echo "── openapi"
	@e2e/openapi/run.sh

# npm ci refuses a lock file that lacks the packages of platforms which a registry does not have. The clients'
# install scripts are not needed: their programs lie in the packages of the platforms.
e2e/clients/node_modules/.installed: e2e/clients/package-lock.json
	@echo "── installing the MCP clients (1.2 GB)"
	@cd e2e/clients && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

install-clients: e2e/clients/node_modules/.installed
	@e2e/python.sh clients 3.11 .cache/clients e2e/clients/requirements.txt || test $$? -eq 69

clients: build node_modules/.installed install-clients
	@cd e2e/clients && node --import ../../scripts/ts.mjs run.ts

TELEMETRYGEN := github.com/open-telemetry/opentelemetry-collector-contrib/cmd/telemetrygen@v0.161.0

e2e/otlp/node/node_modules/.installed: e2e/otlp/node/package-lock.json
	@echo "── installing OpenTelemetry's SDK for Node"
	@cd e2e/otlp/node && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

.cache/otlp/bin/telemetrygen:
	@echo "── installing telemetrygen"
	@GOBIN="$(CURDIR)/.cache/otlp/bin" GOWORK=off GOFLAGS= go install $(TELEMETRYGEN)

otlp: build e2e/otlp/node/node_modules/.installed .cache/otlp/bin/telemetrygen ## Real OpenTelemetry SDKs against the program (needs Python, ports 4317 and 4318)
	@e2e/python.sh otlp 3.9 .cache/otlp/python e2e/otlp/requirements.txt
	@echo "── OpenTelemetry SDKs"
	@cd e2e/otlp && GOWORK=off go vet . && GOWORK=off go test -count=1 .

collector: build ## A real Collector, Jaeger, Loki and VictoriaLogs with the program (builds them once)
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
	@cd extension && BENCH=1 npx playwright test --workers 1

e2e/head-to-head/node_modules/.installed: e2e/head-to-head/package-lock.json
	@echo "── installing two other tools and the libraries of the pages"
	@cd e2e/head-to-head && npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

head-to-head: build ext chromium e2e/head-to-head/node_modules/.installed ## Gasoline beside other tools on pages of real libraries, into docs/benchmarks.md
	@cd e2e/head-to-head && node --import ../../scripts/ts.mjs run.ts

verdicts: build ext chromium ## Judge right and wrong edits of 60 applications that fail: half an hour
	@cd e2e/bugs && node --import ../../scripts/ts.mjs check.ts && node --import ../../scripts/ts.mjs run.ts

soak: build ext chromium ## Long runs: worker lifetime, floods, reconnects
	@npm run --silent soak --workspace @gasoline/e2e

wpt: ext chromium ## Web platform tests: WPT_DIR=checkout WPT="paths" (needs Python)
	@WPT_DIR="$(WPT_DIR)" e2e/wpt/run.sh $(WPT)

demo: build ext chromium ## Play a failing checkout and print what an agent sees (KEEP=1 leaves it open)
	@node --import ./scripts/ts.mjs examples/demo.ts

shots: build ext chromium ## Make the pictures of docs/images anew, from a real run
	@node --import ./scripts/ts.mjs examples/shots.ts

release: ext ## Build every platform into dist/
	@mkdir -p dist
	@for p in $(PLATFORMS); do \
	  os=$${p%/*}; arch=$${p#*/}; ext=""; [ "$$os" = windows ] && ext=.exe; \
	  echo "── $$os/$$arch"; \
	  GOOS=$$os GOARCH=$$arch go build $(GOFLAGS_RELEASE) -o dist/gasoline-$$os-$$arch$$ext ./cmd/gasoline; \
	done
	@cp extension/gasoline-extension.zip dist/
	@cd dist && sha256sum gasoline-* > SHA256SUMS

clean: ## Remove what was built
	@rm -rf bin dist extension/dist extension/*.zip capture/dist node_modules e2e/clients/node_modules e2e/head-to-head/node_modules test-results
