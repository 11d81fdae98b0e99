#!/bin/sh
# Runs proofs at full volume and prints their counts; fails if one of them fails.
# Scripts/torture.sh store [IMAGES [KILLS [systemCalls|mapped]]]: the device store's crash images, kills, failing calls, flipped bits,
# truncated files, interrupted repairs and backups, random programs compared with SQLite. The defaults are 5,000,000, 10,000 and both I/O
# modes.
# Scripts/torture.sh objects [PAIRS [KILLS [FILES [SEED]]]]: migrations between random pairs of models and through random chains of
# versions, interrupted migrations, kills of two processes that write to one file, random saves that lists follow, random programs whose
# histories rebuild the file, damaged files. The defaults are 100,000, 10,000, 10,000, and a seed taken from the clock.
# Scripts/torture.sh replication [RUNS [SEED [INCREMENTS]]]: random runs of several machines on a simulated cluster, and increments by each of
# three machines through a failover of PostgreSQL. The defaults are 100,000, a seed taken from the clock, and 10,000.
. "$(dirname -- "$0")/settings.sh"

store() {
    scratch="$root/.build/torture"
    say "Building the torture test (release)"
    # LARDER_TESTS with a name that matches no test target excludes all test targets from the build.
    LARDER_TESTS=none swift build -c release --traits Encryption --scratch-path "$scratch" --product DeviceStoreHelper </dev/null
    LARDER_TESTS=none swift build -c release --traits Encryption --scratch-path "$scratch" --product DeviceStoreTorture </dev/null
    say "Torture: crash images, kills, failing calls, flipped bits; 40 minutes on two cores at full volume"
    "$scratch/release/DeviceStoreTorture" "$@"
}

objects() {
    use_macros
    # The proofs use internal declarations, which an optimized build exports only with this flag.
    flags="-c release -Xswiftc -enable-testing --traits Objects --scratch-path $root/.build/torture-objects $lean"
    export LARDER_TESTS=ObjectProofTests
    say "Building the proofs of object storage (release)"
    # shellcheck disable=SC2086
    swift build --product larderPackageTests $flags </dev/null
    seed=${4:-$(date +%s)}
    folder=$(mktemp -d "${TMPDIR:-/tmp}/larder-torture.XXXXXX")
    trap 'rm -rf "$folder"' EXIT
    trap 'exit 130' INT TERM
    say "Torture of object storage from seed $seed; an hour on two cores at full volume"
    # POSIX sh has no pipefail, so a file holds the status.
    # shellcheck disable=SC2086
    {
        status=0
        LARDER_TORTURE=1 LARDER_SEED=$seed LARDER_PAIRS=${1:-100000} LARDER_OBJECT_KILLS=${2:-10000} LARDER_SHARED_KILLS=${2:-10000} \
            LARDER_SALVAGED=${3:-10000} LARDER_CHAINS=${LARDER_CHAINS:-10} LARDER_SAVES=${LARDER_SAVES:-100000} \
            LARDER_PROGRAMS=${LARDER_PROGRAMS:-20000} LARDER_HISTORY_KILLS=${LARDER_HISTORY_KILLS:-1000} TMPDIR="$folder" \
            SWIFT_BACKTRACE=enable=no swift test --skip-build --disable-xctest --enable-swift-testing $flags \
            --filter '(RandomMigration|RandomChain|MigrationDeath|SharedKill|SalvageCorpus|RandomResults|HistoryReplay)Tests' </dev/null 2>&1 ||
            status=$?
        echo "$status" >"$folder/status"
    } | tee "$folder/log" | grep --line-buffered -E '^torture: |^Test run|✘|↳' || :
    status=$(cat "$folder/status")
    [ "$status" -eq 0 ] || fail "Torture failed (status $status); \`make torture WHAT=objects SEED=$seed\` repeats it."
    grep -E 'Test run with [0-9]+ tests?' "$folder/log" | tail -n 1
}

replication() {
    traits=Replication
    LARDER_TESTS=LarderReplicationTests
    # The increments on PostgreSQL need libpq and its server.
    if [ -e /usr/include/libpq-fe.h ] || [ -e /usr/include/postgresql/libpq-fe.h ]; then
        traits=Replication,Postgres
        LARDER_TESTS=LarderReplicationTests,LarderPostgresTests
    else
        say "Left out: increments on PostgreSQL. libpq is not installed (Debian: libpq-dev, postgresql)."
    fi
    export LARDER_TESTS
    flags="-c release -Xswiftc -enable-testing --traits $traits --scratch-path $root/.build/torture-replication $lean"
    say "Building the runs of replicated stores (release)"
    # shellcheck disable=SC2086
    swift build --product larderPackageTests $flags </dev/null
    seed=${2:-$(date +%s)}
    say "Torture of replicated stores from seed $seed"
    # shellcheck disable=SC2086
    LARDER_SEED=$seed LARDER_RUNS=${1:-100000} LARDER_INCREMENTS=${3:-10000} SWIFT_BACKTRACE=enable=no \
        swift test --skip-build --disable-xctest --enable-swift-testing $flags \
        --filter 'SimulationTests|incrementsAreCountedExactly' </dev/null ||
        fail "Torture failed; \`make torture WHAT=replication SEED=$seed\` repeats it."
}

what=${1-}
[ "$#" -eq 0 ] || shift
case $what in
    store | objects | replication) "$what" "$@" ;;
    *) fail "Scripts/torture.sh store|objects|replication ..." ;;
esac
