#!/bin/sh
# ThreadSanitizer on the concurrent tests, AddressSanitizer on all of them, and a search for leaks in the stores' own code.
#
# Each in a scratch folder of its own, without object storage: swift-syntax would be compiled for each. With a name, only that
# one: Scripts/sanitize.sh thread|address|leaks
. "$(dirname -- "$0")/settings.sh"
which=${1:-all}
concurrent=LarderCoreTests,LarderFilesTests,LarderStoresTests,DeviceStoreTests,EncryptedStoreTests,LarderDeviceStorageTests
concurrent=$concurrent,LarderDefaultsTests,LarderDataSourcesTests
home=$(mktemp -d "${TMPDIR:-/tmp}/larder-sanitize-home.XXXXXX")
trap 'rm -rf "$home"' EXIT INT TERM
mkdir -p "$home/tmp"

# tests SANITIZER TARGETS: builds and runs the test targets, a little of what takes long.
tests() {
    scratch="$root/.build/$1"
    say "Building with the $1 sanitizer"
    LARDER_TESTS=$2 swift build --build-tests --sanitize="$1" --traits Encryption --scratch-path "$scratch" </dev/null ||
        fail "The tests do not build with the $1 sanitizer."
    say "Testing with the $1 sanitizer"
    LARDER_TESTS=$2 LARDER_PROOFS=few HOME="$home" TMPDIR="$home/tmp" CFFIXED_USER_HOME="$home" \
        XDG_CONFIG_HOME="$home/config" XDG_DATA_HOME="$home/data" XDG_CACHE_HOME="$home/cache" XDG_STATE_HOME="$home/state" \
        XDG_RUNTIME_DIR="$home/tmp" SWIFT_BACKTRACE=enable=no \
        TSAN_OPTIONS="halt_on_error=0 exitcode=66" \
        ASAN_OPTIONS="detect_leaks=0" \
        swift test --skip-build --disable-xctest --sanitize="$1" --traits Encryption --scratch-path "$scratch" \
        --cache-path "${XDG_CACHE_HOME:-$HOME/.cache}/org.swift.swiftpm" </dev/null ||
        fail "The $1 sanitizer found something, or a test failed; see above."
}

case $which in all | thread) tests thread "$concurrent" ;; esac
everything=$(find Tests -mindepth 1 -maxdepth 1 -name '*Tests*' ! -name 'LarderObjects*' ! -name 'CSQLite*' | sed 's|.*/||' | paste -sd, -)
case $which in all | address) tests address "$everything" ;; esac

# The test library itself leaks; the helper process, which opens, writes, compacts, closes, does not have it.
case $which in
    all | address | leaks)
        say "Looking for leaks"
        helper="$root/.build/address/debug/DeviceStoreHelper"
        ASAN_OPTIONS="detect_leaks=1" LSAN_OPTIONS="suppressions=$root/Scripts/leak-suppressions.txt:print_suppressions=0" \
            SWIFT_BACKTRACE=enable=no "$helper" increment systemCalls "$home/leaks.larder" 20000 ||
            fail "The stores leak; see above."
        ;;
esac
say "The sanitizers found nothing"
