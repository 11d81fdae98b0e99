# Sourced by every script: the root folder, build flags and shared functions.
set -eu
unset CDPATH
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"

# Without debug information builds take an eighth less time. Compiling each module as a whole, and writing no index, each save a tenth. But
# SwiftPM uses the index to find tests, unless there is a program that runs them; .ci/run creates one. So only CI and the demo do both.
whole=--disable-index-store
for flag in -whole-module-optimization -no-emit-module-separately-wmo -num-threads 2; do whole="$whole -Xswiftc $flag"; done
lean="-debug-info-format none"
[ "${LARDER_BUILD-}" != whole ] || lean="$lean $whole"

# Lint and test share one coverage build. It has its own folder, because it and a plain `swift build` would recompile each other's files.
checks="$root/.build/checks"
checked_build_flags="--scratch-path $checks --enable-all-traits $lean \
    --explicit-target-dependency-import-check error"
# If .ci/run has created this folder, the compiler writes its statistics there.
[ ! -d "$checks/stats" ] || checked_build_flags="$checked_build_flags -Xswiftc -stats-output-dir -Xswiftc $checks/stats"

# Build flags for packages that use Larder without a trait. With LARDER_SHARED=address, as in CI, they share the build folder of the tests
# with the address sanitizer, so that Larder is compiled only once.
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

# Limits the number of parallel tests, if the test library supports that. Otherwise tests that need a free thread wait minutes for the
# proofs, and the run takes a third longer.
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

# use_checked_build: calls use_macros, and prepares a build with `checked_build_flags` that counts the executed lines of the libraries. The
# targets in which the tests spend most of their time are optimized: without specialization, looking up generic metadata took half of the
# test time. The sanitizers test debug builds of these targets.
use_checked_build() {
    use_macros
    optimized=LarderCore,LarderFiles,LarderDeviceStore,LarderStores,LarderObjects,LarderReplication,LarderTestSupport,LarderTesting
    export LARDER_OPTIMIZED=$optimized,ObjectProofTests,LarderReplicationTests
    export LARDER_COVERAGE=1
}

# module_maps: prints the compiler's flags for the module maps of the C targets in the build of Scripts/build.sh.
module_maps() {
    for map in "$checks"/debug/*.build/module.modulemap; do
        case $map in *-tool.build/*) ;; *) printf ' -Xcc -fmodule-map-file=%s' "$map" ;; esac
    done
}

# run_in_background LOG COMMAND...: runs the command in the background, with its output in LOG; only one command at a time.
background=
run_in_background() {
    background_log=$1
    shift
    ("$@") >"$background_log" 2>&1 &
    background=$!
}

# finish_background: waits for the background command and prints its output; fails if the command failed.
finish_background() {
    status=0
    wait "$background" || status=$?
    background=
    cat "$background_log"
    [ "$status" -eq 0 ]
}

# stop_background: kills the background command if it still runs; for traps.
stop_background() { [ -z "$background" ] || kill "$background" 2>/dev/null || :; }

# say WORDS...: prints a headline for the next part, and records its start in the file LARDER_TIMES for .ci/run.
say() {
    printf '== %s\n' "$*"
    [ -z "${LARDER_TIMES-}" ] || printf '%s %s\n' "$(date +%s)" "$*" | head -n 1 >>"$LARDER_TIMES"
}

# failures LOG: prints the failures in a log of tests once more, because readers often see only the end of a long log.
failures() {
    say "Failures"
    grep -E -A 3 '^✘|WARNING: ThreadSanitizer|ERROR: AddressSanitizer|^SUMMARY: ' "$1" | grep -vE '^(◇|✔|--)' | tail -n 60
}

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
