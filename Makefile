# Everything here needs the Swift toolchain (6.2 or later), make and git; what else a command needs it installs or names.
.DEFAULT_GOAL := help
.PHONY: help demo test lint format docs bench

help: ## Lists these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-8s %s\n", $$1, $$2 }' Makefile

demo: ## Builds larder and runs its tour, in a temporary folder
	@Scripts/require.sh swift git
	@Scripts/demo.sh

test: ## Builds and runs all tests; leaves nothing in your home folder
	@Scripts/require.sh swift git sqlite3.h
	@Scripts/test.sh

lint: ## Checks format, documentation comments and the layering rules
	@Scripts/require.sh swift git sqlite3.h
	@Scripts/lint.sh

format: ## Formats all Swift code in place
	@Scripts/require.sh swift
	@find Sources Tests Benchmarks Package.swift -name .build -prune -o -name '*.swift' \
		-not -path 'Tests/SeedTests*' -print 2>/dev/null \
		| xargs swift format --in-place --parallel --configuration .swift-format

docs: ## Writes the reference documentation to .build/docs
	@Scripts/require.sh swift git docc
	@Scripts/docs.sh

bench: ## Measures Larder beside what else there is, in one run, as ratios; ROWS=get chooses rows
	@Scripts/require.sh swift git
	@Benchmarks/run.sh $(ROWS)
