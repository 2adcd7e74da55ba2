# The commands of everyday work. 'make check' is what must pass before a commit;
# the order of imports is held by a test, so 'test' covers it.

GO     = go
PREFIX =

# Packages with goroutines of their own; .ci/run has the same list. make race RACE=./... takes far longer.
RACE = ./checkpoint/... ./gitstate/... ./internal/flock/... ./internal/proc/... ./internal/screen/... ./internal/sources/...

# Replay the merges of a repository: make oracle REPO=path [N=merges] [ENGINE=git|builtin] [VERBOSE=1]
REPO    =
N       = 0
ENGINE  = git
VERBOSE =

# The long proof: make prove [BUDGET=2h] [SUITES=A,B] [LEDGER=file]; docs/RELIABILITY.md says what it tries.
# Every point of some commands of suite A once: make prove SCENARIOS='with jobs,merge' [BUDGET=2h] [LEDGER=file]
BUDGET    = 2h
SUITES    =
SCENARIOS =
LEDGER    =

# The files to publish: make release VERSION=v0.9.0 [OUT=dist] [PLATFORMS=linux-amd64,…]. Another version of Go makes
# other bytes, so this one is used, and fetched where it is missing. docs/releasing.md has the steps around it.
VERSION    =
OUT        = dist
PLATFORMS  =
RELEASE_GO = go1.26.8

# Tests with other versions of git: make git-versions GITS='folder folder' [TESTS=./gitstate/...]. Each folder contains a program git.
# docs/platforms.md says what each version lacks.
GITS  =
TESTS = ./...

.PHONY: agents other-day git-versions release prove prove-report prove-planted samples signal oracle check fmt vet staticcheck test race bench cover install uninstall

check: fmt vet staticcheck test

fmt:
	@files=$$(gofmt -l .) && test -z "$$files" || \
		{ printf 'not formatted, run gofmt -w on:\n%s\n' "$$files"; exit 1; }

vet:
	$(GO) vet ./...

staticcheck:
	$(GO) tool staticcheck ./...

test:
	go test -count=1 ./...

# The same tests as if on another day: make other-day DAYS=1. The clock of all Go programs and the times of files are moved.
DAYS = 1
other-day:
	sh internal/gittest/otherday.sh '$(DAYS)' -count=1 -shuffle=on ./...

race:
	$(GO) test -race $(RACE)

# What each act costs, against the fewest processes that can know or do the same: make bench [ONLY='pattern of acts'] [FIX=1]
# With FIX, acts that are new get their line in bench/floors.tsv. The files are on disk, because in memory a flush costs nothing.
bench:
	TMPDIR="$${TMPDIR:-/var/tmp}" $(GO) test ./bench -count 1 -timeout 60m -run '$(if $(ONLY),Measure_acts/$(ONLY),Measure)' -v -measure $(if $(FIX),-fix)

cover:
	$(GO) test -coverprofile=cover.out ./...
	$(GO) tool cover -func=cover.out | tail -n 1

# Exit code 3 is a success that still needs a line in the user's PATH.
install:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' sh install.sh || test $$? -eq 3

uninstall:
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' sh install.sh --uninstall

oracle:
	@test -n '$(REPO)' || { echo 'usage: make oracle REPO=path [N=merges] [ENGINE=git|builtin] [VERBOSE=1]' >&2; exit 2; }
	@ORACLE_REPO='$(abspath $(REPO))' ORACLE_N='$(N)' ORACLE_ENGINE='$(ENGINE)' ORACLE_VERBOSE='$(VERBOSE)' \
		sh -c 'cd conflicts && $(GO) test -run "^TestOracle\$$" -count=1 -timeout 0'

# Read real state files of other systems and compare with what a person found to be right: make samples DIR=folder
samples:
	@test -n '$(DIR)' || { echo 'usage: make samples DIR=folder' >&2; exit 2; }
	@SAMPLES='$(abspath $(DIR))' $(GO) test ./internal/sources/... -run Samples -count=1 -v

# How right 'status' is about real repositories: make signal DIR=folder [ONLY=part of a name] [ROWS=file]. The folder has bare repositories named
# owner+name; internal/signal/truth.tsv says which, at which commits, and what is true of each. Half b, on which no rule may be tuned, is
# printed in totals; SIGNAL_B=1 in the environment prints its rows too. With ROWS, every row is written to a file,
# so that 'diff' shows what a change of the program changed.
signal:
	@test -n '$(DIR)' || { echo 'usage: make signal DIR=folder [ONLY=part of a name] [ROWS=file]' >&2; exit 2; }
	@SIGNAL='$(abspath $(DIR))' SIGNAL_ONLY='$(ONLY)' SIGNAL_ROWS='$(abspath $(ROWS))' $(GO) test ./internal/signal -run '^TestSignal$$' -count=1 -timeout 0 -v

# Install coding agents into a folder and let each work with our hooks: make agents DIR=folder [ONLY=part of a test's name]
agents:
	@test -n '$(DIR)' || { echo 'usage: make agents DIR=folder [ONLY=test]' >&2; exit 2; }
	@mkdir -p '$(DIR)' && AGENTS='$(abspath $(DIR))' $(GO) test ./internal/agentlab -run '$(or $(ONLY),^TestAgents)' -count=1 -timeout 0 -v

prove:
	$(GO) run ./internal/prove/run --budget '$(BUDGET)' --suite '$(SUITES)' --scenarios '$(SCENARIOS)' --ledger '$(LEDGER)'

prove-report:
	$(GO) run ./internal/prove/run --report --ledger '$(LEDGER)'

# Plant bugs, one at a time, and see that the proof finds each; some minutes.
prove-planted:
	$(GO) run ./internal/prove/run --planted

release:
	@GOTOOLCHAIN='$(RELEASE_GO)' GOFLAGS= $(GO) run ./internal/release/build --version '$(VERSION)' --out '$(OUT)' --platforms '$(PLATFORMS)'

git-versions:
	@test -n '$(GITS)' || { echo "usage: make git-versions GITS='folder folder' [TESTS=./...]" >&2; exit 2; }
	@failed=; for dir in $(GITS); do \
		"$$dir/git" version || { failed="$$failed $$dir"; continue; }; \
		PATH="$$dir:$$PATH" $(GO) test -count=1 -timeout 0 $(TESTS) || failed="$$failed $$dir"; \
	done; test -z "$$failed" || { echo "tests failed with the git in:$$failed" >&2; exit 1; }
