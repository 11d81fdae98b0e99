# Read by every script with `.`: where things are, and the one set of build flags that lint and test share.
set -eu
unset CDPATH
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"

# Nobody debugs what is built here, and without what a debugger needs it takes an eighth less. The index stays: SwiftPM finds tests by it.
lean="-debug-info-format none"

# One coverage build serves lint and test; it has a folder of its own, so that it and a plain `swift build` do not
# undo each other's work.
checks="$root/.build/checks"
checked_build_flags="--scratch-path $checks --enable-all-traits --enable-code-coverage $lean \
    --explicit-target-dependency-import-check error"
# Where .ci/run made this folder the compiler leaves a file for each of its runs, with what that took.
[ ! -d "$checks/stats" ] || checked_build_flags="$checked_build_flags -Xswiftc -stats-output-dir -Xswiftc $checks/stats"

# What packages share that take Larder without a trait. With LARDER_SHARED=address, as in CI, that is the folder of the tests with the
# address sanitizer: Larder is compiled once for all of them.
shared_build_flags="--scratch-path $root/.build/examples $lean"
if [ "${LARDER_SHARED-}" = address ]; then
    shared_build_flags="--scratch-path $root/.build/address --sanitize=address $lean"
    # Scripts/sanitize.sh says what is searched for leaks.
    export ASAN_OPTIONS="detect_leaks=0"
fi

# Tests that run at once have many files open, and some systems begin with 256 or 1024. Not more than they need: there are programs
# that go through all numbers that a file may have.
most=$(ulimit -Hn)
case $most in
    *[!0-9]*) most=65536 ;;
    *) [ "$most" -le 65536 ] || most=65536 ;;
esac
case $(ulimit -Sn) in
    *[!0-9]*) ;;
    *) [ "$(ulimit -Sn)" -ge "$most" ] || ulimit -Sn "$most" 2>/dev/null || true ;;
esac

# Few tests at a time, where the test library knows how: begun all at once, those that wait for others' tasks wait behind minutes of
# proofs, and all of them together take a third longer.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-6}"

# The programs that come with the toolchain, wherever `swift` on the path really is.
toolchain_program() {
    if command -v xcrun >/dev/null 2>&1; then
        xcrun --find "$1"
        return
    fi
    programs=$(swiftc -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1/bin|p')
    echo "$programs/$1"
}

# use_macros: from here on the macros come from Scripts/macros.sh, and swift-syntax is not compiled, where the toolchain allows it.
use_macros() {
    LARDER_MACROS=$("$root/Scripts/macros.sh")
    export LARDER_MACROS
}

# use_objects_build: the same, and `objects_build_flags` are what is shared by those that take Larder with object storage and without
# optimization: the example of it, and the roads of values.
use_objects_build() {
    use_macros
    macro_library=$("$root/Scripts/macros.sh" library)
    objects_build_flags="--scratch-path $root/.build/objects $lean"
    [ -z "$macro_library" ] || objects_build_flags="$objects_build_flags -Xswiftc -load-plugin-library -Xswiftc $macro_library"
}

# use_checked_build: the macros of `use_macros`, for whatever builds with `checked_build_flags`. What the tests run the longest is optimized there: without
# it generic code is not specialized, and looking up its types was half of what the tests took. The sanitizers test these targets as they
# are in a debug build.
use_checked_build() {
    use_macros
    export LARDER_OPTIMIZED=LarderCore,LarderFiles,LarderDeviceStore,LarderTestSupport,ObjectProofTests
}

# beside LOG COMMAND...: runs it beside what follows, and has what it says in a file; one at a time.
aside=
beside() {
    aside_log=$1
    shift
    ("$@") >"$aside_log" 2>&1 &
    aside=$!
}

# ended: waits for it, and prints what it said; fails where it failed.
ended() {
    status=0
    wait "$aside" || status=$?
    aside=
    cat "$aside_log"
    [ "$status" -eq 0 ]
}

# not_beside: ends it where what it ran beside has failed, for traps.
not_beside() { [ -z "$aside" ] || kill "$aside" 2>/dev/null || :; }

# say WORDS...: announces what comes; .ci/run finds out from LARDER_TIMES how long that takes.
say() {
    printf '== %s\n' "$*"
    [ -z "${LARDER_TIMES-}" ] || echo "$(date +%s) $*" >>"$LARDER_TIMES"
}

# failures LOG: prints again what failed in a log of tests, for the end of a long log is what is seen first, and often all that is kept.
failures() {
    say "What failed"
    grep -E -A 3 '^✘|WARNING: ThreadSanitizer|ERROR: AddressSanitizer|^SUMMARY: ' "$1" | grep -vE '^(◇|✔|--)' | tail -n 60
}

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
