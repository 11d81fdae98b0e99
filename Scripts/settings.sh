# Sourced by every script: the root folder, build flags and shared functions.
set -eu
unset CDPATH
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"

# Without debug information builds take an eighth less time. The index is needed, because SwiftPM uses it to find tests.
lean="-debug-info-format none"

# Lint and test share one coverage build. It has its own folder, because it and a plain `swift build` would recompile each other's files.
checks="$root/.build/checks"
checked_build_flags="--scratch-path $checks --enable-all-traits --enable-code-coverage $lean \
    --explicit-target-dependency-import-check error"
# If .ci/run has created this folder, the compiler writes its statistics there.
[ ! -d "$checks/stats" ] || checked_build_flags="$checked_build_flags -Xswiftc -stats-output-dir -Xswiftc $checks/stats"

# Build flags for packages that use Larder without a trait. With LARDER_SHARED=address, as in CI, they share the build folder of the tests with
# the address sanitizer, so that Larder is compiled only once.
shared_build_flags="--scratch-path $root/.build/examples $lean"
if [ "${LARDER_SHARED-}" = address ]; then
    shared_build_flags="--scratch-path $root/.build/address --sanitize=address $lean"
    # Scripts/sanitize.sh looks for leaks.
    export ASAN_OPTIONS="detect_leaks=0"
fi

# Parallel tests have many files open, but some systems have a default limit of 256 or 1024. The limit is not higher than necessary, because
# some programs iterate over all possible file descriptors.
most=$(ulimit -Hn)
case $most in
    *[!0-9]*) most=65536 ;;
    *) [ "$most" -le 65536 ] || most=65536 ;;
esac
case $(ulimit -Sn) in
    *[!0-9]*) ;;
    *) [ "$(ulimit -Sn)" -ge "$most" ] || ulimit -Sn "$most" 2>/dev/null || true ;;
esac

# Limits the number of parallel tests, if the test library supports that. Otherwise tests that need a free thread wait minutes for the proofs,
# and the run takes a third longer.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="${SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH:-6}"

# toolchain_program NAME: prints the path of a program of the toolchain, even if `swift` on the path is a link.
toolchain_program() {
    if command -v xcrun >/dev/null 2>&1; then
        xcrun --find "$1"
        return
    fi
    programs=$(swiftc -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1/bin|p')
    echo "$programs/$1"
}

# use_macros: makes later builds use the macros of Scripts/macros.sh instead of compiling swift-syntax, if the toolchain has SwiftSyntax.
use_macros() {
    LARDER_MACROS=$("$root/Scripts/macros.sh")
    export LARDER_MACROS
}

# use_objects_build: calls use_macros, and sets `objects_build_flags` to the flags of the debug build with object storage that the example
# and Scripts/roads.sh share.
use_objects_build() {
    use_macros
    macro_library=$("$root/Scripts/macros.sh" library)
    objects_build_flags="--scratch-path $root/.build/objects $lean"
    [ -z "$macro_library" ] || objects_build_flags="$objects_build_flags -Xswiftc -load-plugin-library -Xswiftc $macro_library"
}

# use_checked_build: the macros of `use_macros`, for whatever builds with `checked_build_flags`. What the tests run the longest is optimized
# there: without it generic code is not specialized, and looking up its types was half of what the tests took. The sanitizers test these
# targets as they are in a debug build.
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
