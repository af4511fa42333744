# Commands of this project. Everything that they make goes to .build or .runs.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

# Pinned: another version finds other things.
GOLANGCI_LINT_VERSION := v2.15.0
BIN := .build/bin
RECORDINGS := fixtures/recordings
GO_FILES := $(shell find harness suites fixtures openapi -not -path '*/recordings/*' \( -name '*.go' -o -name '*.yaml' -o -name '*.jsonl' -o -name '*.json' -o -path '*/revisions/*.txt' -o -path '*/witnesses/*' -o -path '*/report/html/templates/*' \)) $(RECORDINGS)/shown.json go.mod go.sum

# The real targets of make matrix-real, the reference first.
REAL := legacy dynamo-1.6.1 vllm-0.31.0
# The same servers as containers, and the recordings that they must equal.
CONTAINERS := legacy-container dynamo-1.6.1-container
CONTAINER_BASELINE := --baseline legacy-container=$(RECORDINGS)/legacy --baseline dynamo-1.6.1-container=$(RECORDINGS)/dynamo-1.6.1

# How long make fuzz, and make test, run each fuzz target.
FUZZTIME := 5m
QUICK_FUZZTIME := 500ms

##@ Main job
matrix: $(BIN)/embedcontract ## Print the compatibility matrix of the two emulated servers (Go only, seconds)
	@$(BIN)/embedcontract run $(ARGS)

matrix-real: $(BIN)/embedcontract prepare ## Print it for the real servers: legacy, Dynamo 1.6.1, vLLM (needs uv; minutes), and compare with the committed recordings
	@rm -rf .runs/real
	@$(BIN)/embedcontract run $(REAL) --out .runs/real --baseline $(RECORDINGS) $(ARGS)

matrix-containers: images ## Print it for legacy and Dynamo in containers, on the CPU (needs Docker; minutes); every cell must read as in the committed recordings
	@fixtures/prepare.sh model >/dev/null
	@rm -rf .runs/containers
	@$(BIN)/embedcontract run $(CONTAINERS) --out .runs/containers $(CONTAINER_BASELINE)

check: $(BIN)/embedcontract ## Ask any server: make check URL=http://127.0.0.1:8000 [MODEL=name] [API_KEY_ENV=VARIABLE] [ARGS='-v --max-tokens 32768']
	@test -n "$(URL)" || { echo 'make check: say which server: make check URL=http://127.0.0.1:8000 [MODEL=name] [API_KEY_ENV=VARIABLE]' >&2; exit 2; }
	@$(BIN)/embedcontract run --url '$(URL)' $(if $(MODEL),--model '$(MODEL)') $(if $(API_KEY_ENV),--api-key-env '$(API_KEY_ENV)') $(ARGS)

upgrade: $(BIN)/embedcontract ## Say what an upgrade changes: make upgrade FROM=1.5.1 TO=1.6.1 (releases of Dynamo, targets, or folders of recordings) [ARGS=--markdown]; records what is missing
	@test -n "$(FROM)" && test -n "$(TO)" || { echo 'make upgrade: say from what to what: make upgrade FROM=1.5.1 TO=1.6.1' >&2; exit 2; }
	@fixtures/upgrade.sh '$(FROM)' '$(TO)' $(ARGS)

list: $(BIN)/embedcontract ## List the checks of the contract
	@$(BIN)/embedcontract list $(ARGS)

##@ Development
test: ## Run all tests, and every fuzz target for half a second (no Docker, no Python; no network once the modules are there)
	@# The two that take longest first, and one package more than two cores have room for: some wait for most of their time.
	go test -count=1 -timeout 20m -p 3 ./suites/kill ./harness/cmd/embedcontract ./...
	@.ci/fuzz $(QUICK_FUZZTIME) quick

fuzz: ## Run every fuzz target for FUZZTIME, one after the other; a failing input stops it, and stays as a seed
	@.ci/fuzz $(FUZZTIME)

kill: ## Show what the suite tells apart: which wrong server shows each variant, in .runs/kill/matrix.md (seconds)
	go test -count=1 -timeout 20m -v -run '^TestEveryMutantIsFound$$' ./suites/kill | grep -Ev '^ *(=== |--- PASS)'

guards: ## Break every classifier of the suite in every way that it can be, and require that the kill table turns red (minutes)
	go test -count=1 -timeout 30m -v -tags guards -run '^TestClassifiersAreGuarded$$' ./suites/kill

test-action: ## Run the steps of the GitHub action and of README's workflows as they are written, with emulated servers (needs bash)
	go test -count=1 -timeout 20m -tags action -run '^Test(Action|Workflows|ReadmeExample|Module|Version)' ./harness/cmd/embedcontract

pairs: ## Ask any two checks one after the other, in both orders, of three servers: each must show what it shows otherwise (ten minutes)
	EMBEDCONTRACT_ALL_PAIRS=1 go test -count=1 -timeout 3h -run '^TestChecksDoNotDependOnOrder$$' ./suites/kill

test-browser: ## Run the tests of the HTML report in a browser (needs Chromium on the path)
	go test -count=1 -timeout 20m -tags browser ./harness/report/html

pictures: ## Make the pictures of the HTML report in README.md anew, from the committed recordings (needs Chromium)
	go test -count=1 -timeout 20m -tags browser -run '^TestPictures$$' ./harness/report/html -args -pictures "$(CURDIR)/fixtures/pictures"

# Static, since the test binary is also the server in the images of the tests.
test-containers: ## Run the tests that need Docker and root: small static images, and the bad days of an engine
	CGO_ENABLED=0 go test -count=1 -p 1 -timeout 20m -tags containers -run '^TestContainers' ./harness/target/container ./harness/cmd/embedcontract

documents: ## Write what is generated from the checks anew: suites/CONTRACT.md, suites/RELEASES.md, suites/SERVERS.md, what explain knows of the recordings, the printed parts of README.md
	go test -count=1 ./suites -run Documents -update
	go test -count=1 ./harness/cmd/embedcontract -run Readme -update

lint: $(BIN)/golangci-lint-$(GOLANGCI_LINT_VERSION) ## Check style, imports and shell scripts' syntax
	$< run ./...
	bash -n .ci/run .ci/fuzz fixtures/prepare.sh fixtures/servers/prepare.sh fixtures/servers/record.sh fixtures/upgrade.sh fixtures/images/base.sh fixtures/images/engine.sh .github/release.sh .github/actions/embedcontract/run.sh

prepare: ## Make the Python environments and the checkpoint in the cache folder (needs uv; several GB the first time)
	@fixtures/prepare.sh

dynamo-lock: ## Lock another release of Dynamo, with the vLLM and torch that its metadata name, and write its target: make dynamo-lock VERSION=1.5.1 [ARGS=--force] (needs uv)
	@test -n "$(VERSION)" || { echo 'make dynamo-lock: say which release: make dynamo-lock VERSION=1.5.1' >&2; exit 2; }
	@uv run --quiet --no-project --script fixtures/dynamo/lock.py $(ARGS) '$(VERSION)'

witnesses: ## Install the OpenAI SDKs for Python and Node, which may be asked what they make of answers (needs uv and Node 20; 60 MB)
	@fixtures/prepare.sh witnesses

images: $(BIN)/embedcontract ## Build the images of the container targets where they are missing (needs Docker; 12 GB, some minutes)
	@fixtures/images/base.sh
	@$(BIN)/embedcontract images $(CONTAINERS)

record: $(BIN)/embedcontract prepare ## Record the real servers anew, extended checks and SDKs included (20 minutes), in place of the committed recordings: look at the differences before you commit
	@fixtures/prepare.sh witnesses >/dev/null
	@rm -rf .runs/record && $(BIN)/embedcontract run $(REAL) --extended --witness python,node --out .runs/record || test $$? = 1
	@for t in $(REAL); do rm -rf $(RECORDINGS)/$$t; mkdir -p $(RECORDINGS)/$$t; cp .runs/record/$$t/exchanges.jsonl .runs/record/$$t/vectors.f32 $(RECORDINGS)/$$t/; done
	@$(MAKE) documents

record-server: $(BIN)/embedcontract ## Record one server anew, in place of its committed recording: make record-server NAME=infinity-0.0.78 [ARGS='--request-timeout 5m'] (minutes; llama-* compile llama.cpp once, half an hour)
	@test -n "$(NAME)" || { echo 'make record-server: say which target: make record-server NAME=infinity-0.0.78' >&2; exit 2; }
	@fixtures/servers/record.sh '$(NAME)' $(ARGS)

parity-red: $(BIN)/embedcontract ## Show vector_parity red: the legacy server with mean pooling, another seed, no end marker, against the recorded Dynamo
	@fixtures/prepare.sh variants >/dev/null
	@rm -rf .runs/parity-red
	@for t in mean-pooling other-seed no-end-marker; do \
	  $(BIN)/embedcontract run legacy-$$t --reference $(RECORDINGS)/dynamo-1.6.1 --focus '^(vector|token)_parity/' --out .runs/parity-red/$$t || test $$? = 1; \
	done

release: ## Build a release of the last commit into .build/release: make release VERSION=v0.1.0 [PLATFORMS=linux/amd64] (static, the same bytes anywhere, with SHA256SUMS)
	@test -n "$(VERSION)" || { echo 'make release: say which version: make release VERSION=v0.1.0' >&2; exit 2; }
	@$(if $(PLATFORMS),PLATFORMS='$(PLATFORMS)') .github/release.sh '$(VERSION)'

clean: ## Remove what was built and recorded here (not the cache folder)
	rm -rf .build .runs

help: ## Show this help
	@awk 'BEGIN {FS = ":.*## "} \
	  /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z-]+:.*## / {printf "  make %-17s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/embedcontract: $(GO_FILES)
	@mkdir -p $(BIN)
	@echo 'building $@ (a minute the first time)' >&2
	@go build -o $@ ./harness/cmd/embedcontract

$(BIN)/golangci-lint-$(GOLANGCI_LINT_VERSION):
	@mkdir -p $(BIN)
	@echo 'building golangci-lint $(GOLANGCI_LINT_VERSION), some minutes the first time' >&2
	GOBIN=$(abspath $(BIN)) go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv $(BIN)/golangci-lint $@

.PHONY: release fuzz guards pairs matrix matrix-real matrix-containers witnesses images test-browser pictures test-containers parity-red record-server dynamo-lock check upgrade list test kill documents lint prepare record clean help
