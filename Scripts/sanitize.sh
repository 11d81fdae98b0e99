#!/bin/sh
# ThreadSanitizer on the tests that use several threads, AddressSanitizer on all of them, and a search for leaks in the stores' own
# code.
#
# Each in a scratch folder of its own, without object storage, which has to be asked for. With a name, only that one:
# Scripts/sanitize.sh thread|address|leaks|objects
# `Scripts/sanitize.sh ci` is the short form that .ci/run takes: the targets that have concurrent suites, without the proofs that begin no
# second thread; fewer kills, and nothing that a debugger needs. `Scripts/sanitize.sh build` only builds that. Left to the whole are the
# typed defaults, 55 seconds with either sanitizer at least (most of it archives that are damaged at random); whatever is encrypted, 45 for
# BoringSSL alone, which has to be compiled with each sanitizer; the command and `LarderConfiguration`, which come with packages of their
# own, about 50; `LarderDeviceStorageTests`; and with the address sanitizer what has no memory of its own: all but files and the engine.
. "$(dirname -- "$0")/settings.sh"
which=${1:-all}
home=$(mktemp -d "${TMPDIR:-/tmp}/larder-sanitize-home.XXXXXX")
trap 'not_beside; rm -rf "$home"' EXIT
trap 'exit 130' INT TERM
mkdir -p "$home/tmp"
# With a sanitizer swift-syntax would take even longer.
use_macros

# What a sanitizer ends a process with that it found something in.
found=66
times=
from=$(date +%s)
# took WHAT: remembers how long it took since the last time.
took() {
    now=$(date +%s)
    times="$times
$(printf '%6d s  %s' $((now - from)) "$1")"
    from=$now
}

# sanitized COMMAND...: runs it with the sanitizers' settings, a tenth of what takes long, and a home folder of its own.
sanitized() {
    LARDER_PROOFS=few LARDER_KILLS=$kills HOME="$home" TMPDIR="$home/tmp" CFFIXED_USER_HOME="$home" \
        XDG_CONFIG_HOME="$home/config" XDG_DATA_HOME="$home/data" XDG_CACHE_HOME="$home/cache" XDG_STATE_HOME="$home/state" \
        XDG_RUNTIME_DIR="$home/tmp" SWIFT_BACKTRACE=enable=no LD_PRELOAD="$preloaded" \
        TSAN_OPTIONS="halt_on_error=0 exitcode=$found atexit_sleep_ms=$wait_at_exit suppressions=$root/Scripts/sanitize/thread-suppressions.txt" \
        ASAN_OPTIONS="exitcode=$found detect_leaks=$is_leak_wanted quarantine_size_mb=64 malloc_context_size=12" \
        LSAN_OPTIONS="exitcode=$found" \
        "$@" <"$input"
}

# choose SANITIZER TARGETS [TRAITS]: what is built and tested from here on: those test targets and nothing that they don't need.
choose() {
    sanitizer=$1
    # Which of them the package has at all.
    export LARDER_TESTS="$2"
    traits=${3-}
    scratch="$root/.build/$sanitizer"
    helper="$scratch/debug/DeviceStoreHelper"
}

# compile [PROGRAM...]: builds what was chosen in place of this shell, by way of PROGRAM.
compile() {
    # shellcheck disable=SC2086
    exec "$@" swift build --product larderPackageTests --sanitize="$sanitizer" $traits $debug_information \
        --scratch-path "$scratch" </dev/null
}

# build SANITIZER TARGETS [TRAITS]: chooses and builds.
build() {
    choose "$@"
    say "Building with the $sanitizer sanitizer"
    (compile) || fail "The tests do not build with the $sanitizer sanitizer."
    took "building with the $sanitizer sanitizer"
}

# tests ARGUMENT...: runs the tests that were built last.
tests() {
    say "Testing with the $sanitizer sanitizer"
    # POSIX sh has no pipefail: the status travels in a file.
    # shellcheck disable=SC2086
    {
        status=0
        sanitized swift test --skip-build --disable-xctest --sanitize="$sanitizer" $traits $debug_information \
            --scratch-path "$scratch" --cache-path "$package_cache" "$@" || status=$?
        echo "$status" >"$home/status"
    } 2>&1 | tee "$home/log"
    [ "$(cat "$home/status")" -eq 0 ] || {
        failures "$home/log"
        fail "The $sanitizer sanitizer found something, or a test failed."
    }
    took "testing with the $sanitizer sanitizer"
}

# canary STATUS NAME: what must be found is found, and what must not is not; see Tests/DeviceStoreHelper/Canary.swift.
canary() {
    status=0
    sanitized "$helper" "$2" - >"$home/canary" 2>&1 || status=$?
    [ "$status" -eq "$1" ] && return
    cat "$home/canary" >&2
    fail "The sanitizer does not see what it should, or more: \"$2\" ended with $status instead of $1."
}

kills=5
# How many milliseconds the thread sanitizer waits at the end of a process for races with its last thread.
wait_at_exit=1000
is_leak_wanted=0
debug_information=
preloaded=
input=/dev/null
package_cache="${XDG_CACHE_HOME:-$HOME/.cache}/org.swift.swiftpm"

# What has threads of its own, or is made to be used by several at once; proofs that are one thread's work are left out.
threads() {
    if [ "$(uname -s)" = Linux ]; then
        # See there: what Swift's Mutex does where the sanitizer can't see it.
        preloaded="$root/.build/thread-mutex.so"
        mkdir -p "$root/.build"
        "$(toolchain_program clang)" -O1 -Wall -shared -fPIC Scripts/sanitize/thread-mutex.c -o "$preloaded" -ldl
    fi
}
# Memory that is not Swift's is that of files and of the engine, whose proofs reach all of it; `make sanitize` takes every target.
address_tested_in_ci=LarderFilesTests,DeviceStoreProofTests
threads_tested_in_ci=LarderFilesTests,DeviceStoreTests,DeviceStoreProofTests,LarderCoreTests,LarderStoresTests,LarderDataSourcesTests
threads_tested=$threads_tested_in_ci,LarderDeviceStorageTests,LarderDefaultsTests,EncryptedStoreTests

# What is skipped where threads are looked for, by names of suites and tests. A name that is gone would be skipped without notice.
skipped=
skip() {
    for name in "$@"; do
        grep -rqE "(func|struct|class) $name\\b" Tests || fail "Scripts/sanitize.sh skips $name, which Tests does not have."
        skipped="${skipped:+$skipped|}$name"
    done
}
# Proofs that start no second thread, which take longest.
skip DeviceStoreCrashTests DeviceStoreOpeningTests DeviceStoreFaultTests DeviceStoreBitTests DeviceStoreDamageTests DeviceStoreModelTests \
    DeviceStoreInterruptedMaintenanceTests DeviceStoreRepairTests MigrationCrashTests FileStoreCrashTests SimulatedFileSystemTests SHA256Tests \
    PropertyListDocumentTests PropertyListDamageTests SettingsFileDamageTests PListFileDamageTests interruptionOfAnySystemCallHasNoEffectOnTheStore
# A store without threads that breaks each check of the contract, and programs that are given to the compiler.
skip everyContractCheckFailsForStoreThatLosesCommits StoreLinesTests CompilationTests
# Chains of a million futures: their subject is the depth of a stack, and they use up the thread sanitizer's clocks again and again.
# Its reset of the clocks sometimes ends the process with "CHECK failed: trace_part_recycle.Queued(part)" (24 November 2026).
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
# Of concurrent suites, beside other tests, with a home folder of its own.
address_tests_aside() {
    home="$home/address"
    mkdir -p "$home/tmp"
    preloaded=
    address_tests --skip "$one_thread"
}

# The test library itself leaks; the helper process, which opens, writes, observes, backs up, compacts, encrypts where that was
# built, and closes, does not have it. Nothing is suppressed: what names the Swift run-time would hide everything, for all memory of
# Swift's comes from there.
leaks() {
    say "Looking for leaks"
    is_leak_wanted=1
    canary $found leak
    # The helper ends when nobody holds the other end of its input.
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

# Without a trait the tests of what stands behind it compile to nothing; object storage is asked for by itself.
every_trait="--traits Encryption,Command,Configuration"
everything=$(find Tests -mindepth 1 -maxdepth 1 -name '*Tests*' ! -name 'LarderObjects*' ! -name 'CSQLite*' | sed 's|.*/||' | paste -sd, -)
case $which in
    all)
        thread "$threads_tested" "--traits Encryption"
        address "$everything" "$every_trait"
        leaks
        ;;
    ci | build)
        kills=1
        # The tests start hundreds of processes.
        wait_at_exit=0
        # Megabytes that one thread writes; other handlers of progress write less, and wait for threads.
        skip progressHandlerMayCommitMoreThanTheSizeLimit commitsMadeByAProgressHandlerAreCompactedAfterwards \
            progressHandlerMayCommitOnAFullDisk
        # A thousand writes one after the other: the other tests of the outbox do a few.
        skip rejectedWritesSurviveRebuildingLists rebuildingListsOfEarlierVersionChecksEveryEntryNumber
        # What is found is named all the same; `make sanitize` says in which line.
        debug_information=$lean
        threads
        build thread "$threads_tested_in_ci"
        build address "$address_tested_in_ci"
        [ "$which" = ci ] || exit 0
        beside "$home/address.log" address_tests_aside
        choose thread "$threads_tested_in_ci"
        thread_tests
        choose address "$address_tested_in_ci"
        ended || fail "The address sanitizer found something, or a test failed; see above."
        took "testing with the address sanitizer, what was left of it"
        leaks
        ;;
    thread) thread "$threads_tested" "--traits Encryption" ;;
    address) address "$everything" "$every_trait" ;;
    leaks)
        build address "$everything" "$every_trait"
        leaks
        ;;
    objects)
        threads
        build thread LarderObjectsTests "--traits Objects"
        tests --filter 'ConcurrencyTests|ManagerTests|ResultsTests|RepetitionTests|FailureTests|BatchTests'
        ;;
    *) fail "Scripts/sanitize.sh [ci|build|thread|address|leaks|objects]" ;;
esac
say "The sanitizers found nothing$times"
