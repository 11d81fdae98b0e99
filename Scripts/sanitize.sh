#!/bin/sh
# ThreadSanitizer on the tests that use several threads, AddressSanitizer on all of them, and a search for leaks in the stores' own
# code.
#
# Each in a scratch folder of its own, without object storage, which has to be asked for. With a name, only that one:
# Scripts/sanitize.sh thread|address|leaks|objects
. "$(dirname -- "$0")/settings.sh"
which=${1:-all}
home=$(mktemp -d "${TMPDIR:-/tmp}/larder-sanitize-home.XXXXXX")
trap 'rm -rf "$home"' EXIT INT TERM
mkdir -p "$home/tmp"

# tests SANITIZER TARGETS TRAITS ARGUMENT...: builds and runs the test targets, a tenth of what takes long.
tests() {
    sanitizer=$1
    targets=$2
    traits=$3
    shift 3
    scratch="$root/.build/$sanitizer"
    say "Building with the $sanitizer sanitizer"
    # shellcheck disable=SC2086
    LARDER_TESTS=$targets swift build --build-tests --sanitize="$sanitizer" $traits --scratch-path "$scratch" </dev/null ||
        fail "The tests do not build with the $sanitizer sanitizer."
    say "Testing with the $sanitizer sanitizer"
    # shellcheck disable=SC2086
    LARDER_TESTS=$targets LARDER_PROOFS=few HOME="$home" TMPDIR="$home/tmp" CFFIXED_USER_HOME="$home" \
        XDG_CONFIG_HOME="$home/config" XDG_DATA_HOME="$home/data" XDG_CACHE_HOME="$home/cache" XDG_STATE_HOME="$home/state" \
        XDG_RUNTIME_DIR="$home/tmp" SWIFT_BACKTRACE=enable=no LD_PRELOAD="$preloaded" \
        TSAN_OPTIONS="halt_on_error=0 exitcode=66 suppressions=$root/Scripts/sanitize/thread-suppressions.txt" \
        ASAN_OPTIONS="detect_leaks=0" \
        swift test --skip-build --disable-xctest --sanitize="$sanitizer" $traits --scratch-path "$scratch" \
        --cache-path "${XDG_CACHE_HOME:-$HOME/.cache}/org.swift.swiftpm" "$@" </dev/null ||
        fail "The $sanitizer sanitizer found something, or a test failed; see above."
}

# What has threads of its own, or is made to be used by several at once; proofs that are one thread's work are left out.
concurrent=LarderCoreTests,LarderFilesTests,LarderStoresTests,DeviceStoreTests,LarderDeviceStorageTests,LarderDataSourcesTests
preloaded=
case $which in
    all | thread | objects)
        if [ "$(uname -s)" = Linux ]; then
            # See there: what Swift's Mutex does where the sanitizer can't see it.
            preloaded="$root/.build/thread-mutex.so"
            mkdir -p "$root/.build"
            "$(toolchain_program clang)" -O1 -Wall -shared -fPIC Scripts/sanitize/thread-mutex.c -o "$preloaded" -ldl
        fi
        ;;
esac
case $which in
    all | thread)
        tests thread "$concurrent" "" \
            --skip 'DeviceStore(Crash|Fault|Bit|Damage|Model)Tests|MigrationCrashTests|FileStoreCrashTests|LyingFileSystemTests'
        ;;
    objects)
        # With the macros of the checks' build: swift-syntax is not compiled with a sanitizer.
        "$root/Scripts/build.sh"
        export LARDER_MACROS="$checks/debug/LarderObjectsMacros-tool"
        tests thread LarderObjectsTests \
            "--traits Objects -Xswiftc -load-plugin-executable -Xswiftc $LARDER_MACROS#LarderObjectsMacros" \
            --filter 'ConcurrencyTests|ManagerTests|ResultsTests|RepetitionTests|FailureTests|BatchTests'
        ;;
esac
preloaded=

everything=$(find Tests -mindepth 1 -maxdepth 1 -name '*Tests*' ! -name 'LarderObjects*' ! -name 'CSQLite*' | sed 's|.*/||' | paste -sd, -)
case $which in all | address) tests address "$everything" "--traits Encryption" ;; esac

# The test library itself leaks; the helper process, which opens, writes, compacts, closes, does not have it.
case $which in
    all | address | leaks)
        say "Looking for leaks"
        helper="$root/.build/address/debug/DeviceStoreHelper"
        for io in systemCalls mapped; do
            ASAN_OPTIONS="detect_leaks=1" \
                LSAN_OPTIONS="suppressions=$root/Scripts/sanitize/leak-suppressions.txt:print_suppressions=0" \
                SWIFT_BACKTRACE=enable=no "$helper" increment "$io" "$home/leaks-$io.larder" 20000 ||
                fail "The stores leak; see above."
        done
        ;;
esac
say "The sanitizers found nothing"
