#!/bin/sh
# Builds the benchmarks and runs those rows whose text or area contains all of the given words:
#   Benchmarks/run.sh            every row
#   Benchmarks/run.sh get String rows that contain "get" and "String"
set -eu
cd "$(dirname "$0")"
if pkg-config --exists lmdb 2>/dev/null; then export LARDER_BENCH_LMDB=1; fi
exec swift run --quiet -c release StoreBenchmarks "$@"
