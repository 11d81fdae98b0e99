# Read by every script with `.`: where things are, and the one set of build flags that lint and test share.
set -eu
unset CDPATH
root=$(CDPATH= cd -- "$(dirname -- "$0")/.." && pwd)
cd "$root"

# One coverage build serves lint and test; it has a folder of its own, so that it and a plain `swift build` do not
# undo each other's work. Nobody debugs what was built there, and without what a debugger needs it takes an eighth less.
checks="$root/.build/checks"
checked_build_flags="--scratch-path $checks --enable-all-traits --enable-code-coverage -debug-info-format none \
    --explicit-target-dependency-import-check error"
# Where .ci/run made this folder the compiler leaves a file for each of its runs, with what that took.
[ ! -d "$checks/stats" ] || checked_build_flags="$checked_build_flags -Xswiftc -stats-output-dir -Xswiftc $checks/stats"

# What packages share that take Larder without a trait.
shared_build_flags="--scratch-path $root/.build/examples -debug-info-format none"

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

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}
