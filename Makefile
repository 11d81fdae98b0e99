# Everything here needs the Swift toolchain (6.2 or later), make and git; what else a command needs it installs or names.
.DEFAULT_GOAL := help
.PHONY: help demo test examples torture mutations fuzz sanitize lint format docs bench

help: ## Lists these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' Makefile

demo: ## Builds larder with object storage and runs its tour, in a temporary folder
	@Scripts/require.sh swift git
	@Scripts/demo.sh

test: ## Builds and runs all tests; leaves nothing in your home folder
	@Scripts/require.sh swift git sqlite3.h
	@Scripts/test.sh

examples: ## Builds the programs in Examples/, uses them, and kills them while they write
	@Scripts/require.sh swift git
	@Examples/check.sh

torture: ## Proves the device store at length: crashes, kills, faults (IMAGES=5000000 KILLS=10000 IO=mapped)
	@Scripts/require.sh swift git sqlite3.h
	@Scripts/torture.sh $(or $(IMAGES),5000000) $(or $(KILLS),10000) $(IO)

mutations: ## Plants faults in the commit path, one at a time, and looks whether CI's kills and crash images find each
	@Scripts/require.sh swift git
	@Scripts/mutations.sh $(NAMES)

fuzz: ## Feeds the file reader and the value decoder what breaks them (SECONDS_EACH=60)
	@Scripts/require.sh swift git
	@Scripts/fuzz.sh $(or $(SECONDS_EACH),60)

sanitize: ## Runs the tests with the thread and the address sanitizer
	@Scripts/require.sh swift git sqlite3.h
	@Scripts/sanitize.sh

lint: ## Checks format, documentation comments and the layering rules
	@Scripts/require.sh swift git sqlite3.h
	@Scripts/lint.sh

format: ## Formats all Swift code in place
	@Scripts/require.sh swift
	@Scripts/format.sh

docs: ## Writes the reference documentation to .build/docs
	@Scripts/require.sh swift git docc
	@Scripts/docs.sh

bench: ## Measures Larder beside what else there is, in one run, as ratios; ROWS=get chooses rows
	@Scripts/require.sh swift git sqlite3.h
	@Benchmarks/run.sh $(ROWS)
