# All commands need the Swift toolchain (6.2 or later), make and git. Each command installs other requirements, or names them.
.DEFAULT_GOAL := help
.PHONY: help demo inspect inspector test examples fleet torture mutations fuzz sanitize roads articles lint format docs bench

help: ## Lists these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

demo: ## Builds larder with object storage and runs its tour, in a temporary folder
	@Scripts/require.sh swift git
	@Scripts/demo.sh

inspect: ## Builds larder, fills a folder, keeps writing to it, and shows all of it on a page in the browser
	@Scripts/require.sh swift git
	@Scripts/inspect.sh

inspector: ## Tests larder inspect from outside, and its page in Chromium (KEYS=120000 for less data; PICTURE=1 remakes README's; MINUTES=60 measures memory)
	@Scripts/require.sh swift git sqlite3.h libpq-fe.h venv curl openssl
	@Scripts/build.sh
ifdef MINUTES
	@Scripts/browser.sh --memory --larder .build/checks/debug/larder --minutes $(MINUTES)
else
	@Scripts/inspector.sh
	@Scripts/browser.sh --larder .build/checks/debug/larder --program .build/checks/debug/InspectorHelper --keys $(or $(KEYS),1000000) $(if $(PICTURE),--picture Documentation/inspector.webp)
endif

test: ## Builds and runs all tests; leaves nothing in your home folder
	@Scripts/require.sh swift git sqlite3.h libpq-fe.h --optional postgres
	@Scripts/test.sh
	@Scripts/browser.sh --larder .build/checks/debug/larder --program .build/checks/debug/InspectorHelper --short

examples: ## Builds and runs the programs in Examples/, and kills them while they write
	@Scripts/require.sh swift git
	@Examples/check.sh

fleet: ## Starts PostgreSQL with a standby and three instances of a service, and shows what happens when they fail
	@Scripts/require.sh swift git postgres libpq-fe.h
	@Examples/FeatureFlags/fleet

torture: ## Runs the proofs at full volume: crashes, kills, faults, migrations (WHAT=store, objects or replication; IMAGES KILLS IO, PAIRS KILLS FILES SEED, or RUNS SEED)
	@Scripts/require.sh swift git sqlite3.h
ifeq ($(filter objects replication,$(WHAT)),)
	@Scripts/torture.sh store $(or $(IMAGES),5000000) $(or $(KILLS),10000) $(IO)
endif
ifeq ($(filter store replication,$(WHAT)),)
	@Scripts/torture.sh objects $(or $(PAIRS),100000) $(or $(KILLS),10000) $(or $(FILES),10000) $(SEED)
endif
ifeq ($(filter store objects,$(WHAT)),)
	@Scripts/torture.sh replication $(or $(RUNS),100000) $(SEED)
endif

mutations: ## Plants faults in the commit path, one at a time; fails if CI's kills and crash images miss one
	@Scripts/require.sh swift git
	@Scripts/mutations.sh $(NAMES)

fuzz: ## Fuzzes the log reader, the value decoder and the filter parser (SECONDS_EACH=60)
	@Scripts/require.sh swift git
	@Scripts/fuzz.sh $(or $(SECONDS_EACH),60)

sanitize: ## Runs the tests with the thread and address sanitizers, and looks for leaks
	@Scripts/require.sh swift git sqlite3.h
	@Scripts/sanitize.sh

roads: ## Compares the call paths of reads and writes with Architecture.md (DO=write updates the lists)
	@Scripts/require.sh swift git sqlite3.h valgrind
	@Scripts/roads.sh $(DO)

articles: ## Runs the first code block of each article in an empty package
	@Scripts/require.sh swift git sqlite3.h libpq-fe.h
	@Scripts/articles.sh $(ARTICLES)

lint: ## Checks format, documentation comments, words, spelling and layering
	@Scripts/require.sh swift git sqlite3.h aspell libpq-fe.h
	@Scripts/lint.sh

format: ## Formats all Swift code in place
	@Scripts/require.sh swift
	@Scripts/format.sh

docs: ## Writes the reference documentation to .build/docs
	@Scripts/require.sh swift git docc libpq-fe.h
	@Scripts/docs.sh

bench: ## Compares Larder with other libraries, as ratios (ROWS=get measures only these rows)
	@Scripts/require.sh swift git sqlite3.h
	@Benchmarks/run.sh $(ROWS)
