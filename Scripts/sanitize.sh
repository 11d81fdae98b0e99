#!/bin/sh
# Runs ThreadSanitizer on the concurrent tests and AddressSanitizer on all tests, and looks for leaks in the stores.
#
# Scripts/sanitize.sh [thread|address|leaks|objects] runs only one of these; `objects` runs ThreadSanitizer on the concurrent tests of object
# storage. Each sanitizer has its own build folder.
#
# `Scripts/sanitize.sh ci` is the short form for .ci/run: only files with concurrent tests, without single-threaded proofs, with fewer kills
# and without debug information. `Scripts/sanitize.sh build` only builds for it. The short form omits:
# - the typed defaults: at least 55 seconds with each sanitizer, most of it for randomly damaged archives;
# - encryption: 45 seconds for compiling BoringSSL with each sanitizer;
# - the command and `LarderConfiguration`, which have their own dependencies: about 50 seconds;
# - `LarderDeviceStorageTests`;
# - object storage, see `objects`: compiling it, GRDB and its tests with a sanitizer takes minutes;
# - with the address sanitizer, all code except files and the device store's engine, because only they manage memory themselves.
. "$(dirname -- "$0")/settings.sh"
which=${1:-all}
home=$(mktemp -d "${TMPDIR:-/tmp}/larder-sanitize-home.XXXXXX")
trap 'stop_background; rm -rf "$home"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$home/tmp"
# Compiling swift-syntax takes even longer with a sanitizer.
use_macros

# The exit status of a process in which a sanitizer has found an error.
found=66
times=
from=$(date +%s)
# took WHAT: records the time since the last call, for the final summary.
took() {
    now=$(date +%s)
    times="$times
$(printf '%6d s  %s' $((now - from)) "$1")"
    from=$now
}

# sanitized COMMAND...: runs the command with the sanitizers' settings, a tenth of the long proofs, and a temporary home folder.
sanitized() {
    LARDER_PROOFS=few LARDER_KILLS=$kills HOME="$home" TMPDIR="$home/tmp" CFFIXED_USER_HOME="$home" \
        XDG_CONFIG_HOME="$home/config" XDG_DATA_HOME="$home/data" XDG_CACHE_HOME="$home/cache" XDG_STATE_HOME="$home/state" \
        XDG_RUNTIME_DIR="$home/tmp" SWIFT_BACKTRACE=enable=no LD_PRELOAD="$preloaded" \
        TSAN_OPTIONS="halt_on_error=0 exitcode=$found atexit_sleep_ms=$wait_at_exit suppressions=$root/Scripts/sanitize/thread-suppressions.txt" \
        ASAN_OPTIONS="exitcode=$found detect_leaks=$is_leak_wanted quarantine_size_mb=64 malloc_context_size=12" \
        LSAN_OPTIONS="exitcode=$found" \
        "$@" <"$input"
}

# omit TARGETS: omits the files of the test targets that mention no thread, task, queue or process. A helper process has threads too, and
# the sanitizer checks them.
omit() {
    LARDER_OMITTED=
    for target in $(echo "$1" | tr , ' '); do
        for file in $(grep -rl '@Test' "Tests/$target"); do
            grep -qE '[tT]hread|Task|DispatchQueue|[cC]oncurrent|async let|waitUntil|blockUntil|[bB]ackground|[pP]rocess|[fF]ork' "$file" ||
                LARDER_OMITTED="$LARDER_OMITTED ${file#Tests/}"
        done
    done
    export LARDER_OMITTED
}

# choose SANITIZER TARGETS [TRAITS]: sets the sanitizer and the test targets that are built and tested from here on.
choose() {
    sanitizer=$1
    # Package.swift omits all other test targets.
    export LARDER_TESTS="$2"
    traits=${3-}
    scratch="$root/.build/$sanitizer"
    helper="$scratch/debug/DeviceStoreHelper"
}

# compile [PROGRAM...]: replaces this shell by the build of the chosen targets, which PROGRAM runs if given.
compile() {
    # shellcheck disable=SC2086
    exec "$@" swift build --product larderPackageTests --sanitize="$sanitizer" $traits $debug_information \
        --scratch-path "$scratch" </dev/null
}

# build SANITIZER TARGETS [TRAITS]: chooses the targets and builds them.
build() {
    choose "$@"
    say "Building with the $sanitizer sanitizer"
    (compile) || fail "The tests do not build with the $sanitizer sanitizer."
    took "building with the $sanitizer sanitizer"
}

# tests ARGUMENT...: runs the tests of the last build.
tests() {
    say "Testing with the $sanitizer sanitizer"
    # POSIX sh has no pipefail, so a file holds the status.
    # shellcheck disable=SC2086
    {
        status=0
        sanitized swift test --skip-build --disable-xctest --enable-swift-testing --sanitize="$sanitizer" $traits $debug_information \
            --scratch-path "$scratch" --cache-path "$package_cache" "$@" || status=$?
        echo "$status" >"$home/status"
    } 2>&1 | tee "$home/log"
    [ "$(cat "$home/status")" -eq 0 ] || {
        failures "$home/log"
        fail "The $sanitizer sanitizer found something, or a test failed."
    }
    took "testing with the $sanitizer sanitizer"
}

# canary STATUS NAME: checks that the sanitizer finds an intentional error, or reports none where there is none; see
# Tests/DeviceStoreHelper/Canary.swift.
canary() {
    status=0
    sanitized "$helper" "$2" - >"$home/canary" 2>&1 || status=$?
    [ "$status" -eq "$1" ] && return
    cat "$home/canary" >&2
    fail "The sanitizer misses an intentional error or reports a false one: \"$2\" exited with $status instead of $1 (see above)."
}

kills=5
# The milliseconds that the thread sanitizer waits at the end of a process for races with the last thread.
wait_at_exit=1000
is_leak_wanted=0
debug_information=
preloaded=
input=/dev/null
package_cache="${XDG_CACHE_HOME:-$HOME/.cache}/org.swift.swiftpm"

# threads: prepares the thread sanitizer.
threads() {
    if [ "$(uname -s)" = Linux ]; then
        # Announces acquires and releases of Swift's Mutex that the sanitizer does not see.
        preloaded="$root/.build/thread-mutex.so"
        mkdir -p "$root/.build"
        "$(toolchain_program clang)" -O1 -Wall -shared -fPIC Scripts/sanitize/thread-mutex.c -o "$preloaded" -ldl
    fi
}
# Only files and the device store's engine manage memory themselves, and their proofs cover it; `make sanitize` tests every target.
address_tested_in_ci=LarderFilesTests,DeviceStoreProofTests
threads_tested_in_ci=LarderFilesTests,DeviceStoreTests,DeviceStoreProofTests,LarderCoreTests,LarderStoresTests,LarderDataSourcesTests
threads_tested=$threads_tested_in_ci,LarderDeviceStorageTests,LarderDefaultsTests,EncryptedStoreTests

# skip NAME...: skips these suites and tests with the thread sanitizer. Fails if a name no longer exists.
skipped=
skip() {
    for name in "$@"; do
        grep -rqE "(func|struct|class) $name\\b" Tests || fail "Scripts/sanitize.sh skips $name, which Tests does not have."
        skipped="${skipped:+$skipped|}$name"
    done
}
# Single-threaded proofs, which take longest.
skip DeviceStoreCrashTests DeviceStoreOpeningTests DeviceStoreFaultTests DeviceStoreBitFlipTests DeviceStoreCorruptionTests \
    DeviceStoreModelTests DeviceStoreInterruptedMaintenanceTests DeviceStoreRepairTests MigrationCrashTests FileStoreCrashTests \
    SimulatedFileSystemTests SHA256Tests PropertyListDocumentTests PropertyListCorruptionTests SettingsFileCorruptionTests \
    PListFileCorruptionTests interruptingAnySystemCallDoesNotAffectStore
# A single-threaded store that violates each check of the contract, and programs that only the compiler runs on.
skip everyContractCheckDetectsLostCommits StoreLinesTests CompilationTests
# Chains of many futures test the depth of the stack, and exhaust the thread sanitizer's clocks repeatedly. Its reset of the clocks
# sometimes ends the process with "CHECK failed: trace_part_recycle.Queued(part)" (24 November 2026).
one_thread=$skipped
skip FutureChainTests

# thread TARGETS [TRAITS]
thread() {
    threads
    build thread "$@"
    thread_tests
}
thread_tests() {
    canary $found race
    canary 0 handover
    tests --skip "$skipped"
    preloaded=
}

# address TARGETS [TRAITS]
address() {
    build address "$@"
    address_tests
}
address_tests() {
    canary $found overrun
    tests "$@"
}
# Runs the concurrent tests with the address sanitizer in the background of other tests, with a separate home folder.
background_address_tests() {
    home="$home/address"
    mkdir -p "$home/tmp"
    preloaded=
    address_tests --skip "$one_thread"
}

# Looks for leaks in the helper process, because the test library itself leaks. The helper opens, writes, observes, backs up, compacts,
# encrypts (if the trait is enabled) and closes stores. Nothing is suppressed: a suppression for the Swift runtime would hide every leak of
# Swift memory, which the runtime allocates.
leaks() {
    say "Looking for leaks"
    is_leak_wanted=1
    canary $found leak
    # The helper exits when its standard input is closed, so this descriptor keeps the pipe open.
    mkfifo "$home/held"
    exec 3<>"$home/held"
    input="$home/held"
    for io in systemCalls mapped; do
        sanitized "$helper" increment "$io" "$home/leaks-$io.larder" 20000 || fail "The stores leak; see above."
        sanitized "$helper" repeat "$io" "$home/leaks-of-all-$io.larder" 20 || fail "The stores leak; see above."
    done
    input=/dev/null
    exec 3>&-
    is_leak_wanted=0
    took "looking for leaks"
}

# Runs ThreadSanitizer on the concurrent tests of object storage: all suites about sharing, the history and results, and some others.
objects() {
    threads
    build thread LarderObjectsTests,ObjectProofTests "--traits Objects"
    suites=$(find Tests/LarderObjectsTests Tests/ObjectProofTests -name '*Tests.swift' |
        sed -nE 's!.*/(Sharing|History|Results)/([A-Za-z0-9]+)\.swift$!\2!p' | sort -u | paste -sd '|' -)
    tests --filter "\\.(ConcurrencyTests|ManagerTests|ResultsTests|RepeatedQueryTests|FailureTests|BatchTests|$suites)/"
    preloaded=
}

# Without a trait, the tests of its modules are empty. Object storage is tested only by `objects`.
every_trait="--traits Encryption,Command,Configuration"
everything=$(find Tests -mindepth 1 -maxdepth 1 -name '*Tests*' ! -name 'LarderObjects*' ! -name 'CSQLite*' | sed 's|.*/||' | paste -sd, -)
case $which in
    all)
        thread "$threads_tested" "--traits Encryption"
        objects
        address "$everything" "$every_trait"
        leaks
        ;;
    ci | build)
        kills=1
        # The tests start hundreds of processes.
        wait_at_exit=0
        # These tests write megabytes on one thread; other tests cover progress handlers with less data.
        skip progressHandlerCanCommitBeyondCompactionThreshold progressHandlerCommitsAreCompactedAfterwards \
            progressHandlerCanCommitOnFullDisk
        # These tests make a thousand sequential writes; the other outbox tests make only a few.
        skip rejectedWritesSurviveRebuildingOutboxIndex rebuildingOldOutboxIndexChecksEveryEntryNumber
        # Reports still name the functions; `make sanitize` adds line numbers.
        debug_information=$lean
        threads
        omit "$threads_tested_in_ci"
        build thread "$threads_tested_in_ci"
        omitted=$LARDER_OMITTED
        LARDER_OMITTED=
        build address "$address_tested_in_ci"
        [ "$which" = ci ] || exit 0
        run_in_background "$home/address.log" background_address_tests
        LARDER_OMITTED=$omitted
        choose thread "$threads_tested_in_ci"
        thread_tests
        LARDER_OMITTED=
        choose address "$address_tested_in_ci"
        finish_background || fail "The address sanitizer found something, or a test failed; see above."
        took "waiting for the tests with the address sanitizer"
        leaks
        ;;
    thread) thread "$threads_tested" "--traits Encryption" ;;
    address) address "$everything" "$every_trait" ;;
    leaks)
        build address "$everything" "$every_trait"
        leaks
        ;;
    objects) objects ;;
    *) fail "Scripts/sanitize.sh [ci|build|thread|address|leaks|objects]" ;;
esac
say "The sanitizers found nothing$times"
