#!/bin/sh
# Builds the benchmarks and runs the rows whose name or area contains all of the given words:
#   Benchmarks/run.sh            every row, object storage, the inspector and replication last
#   Benchmarks/run.sh get String rows that contain "get" and "String", without those of these three
#   Benchmarks/run.sh objects    object storage only; more words choose among its rows
#   Benchmarks/run.sh inspector  the inspector only, likewise
#   Benchmarks/run.sh replication   replication on PostgreSQL only, likewise
# Object storage has its own build folder. Without the toolchain's SwiftSyntax (Scripts/macros.sh) it compiles swift-syntax, which takes
# some minutes.
set -eu
cd "$(dirname "$0")"
if pkg-config --exists lmdb 2>/dev/null; then export LARDER_BENCH_LMDB=1; fi
case ${1:-} in objects | inspector | replication) ;; *) swift run --quiet -c release StoreBenchmarks "$@" ;; esac
if [ $# -eq 0 ] || [ "$1" = objects ]; then
    LARDER_MACROS=$(../Scripts/macros.sh)
    export LARDER_MACROS
    library=$(../Scripts/macros.sh library)
    swift run --quiet -c release --traits Objects --scratch-path .build-objects \
        ${library:+-Xswiftc -load-plugin-library -Xswiftc "$library"} ObjectBenchmarks "$@"
fi
if [ $# -eq 0 ] || [ "$1" = inspector ]; then
    swift run --quiet -c release --traits Inspector --scratch-path .build-inspector InspectorBenchmarks "$@"
fi
if [ $# -eq 0 ] || [ "$1" = replication ]; then exec ./postgres.sh "$@"; fi
