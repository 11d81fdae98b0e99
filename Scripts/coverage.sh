#!/bin/sh
# Prints the line coverage of each library target after a test run, and fails if a target is below the minimum.
. "$(dirname -- "$0")/settings.sh"
least=90
binaries=$checks/debug
profile=$binaries/codecov/default.profdata
[ -d "$binaries/codecov" ] || fail "There is no coverage data: run Scripts/test.sh first."
# A helper that a test kills while it writes leaves a profile that can't be read. It is left out, which can only lower the coverage.
# So are counters that overflow because processes share a profile; a warning for each of thousands would hide the result.
warnings=$(mktemp)
trap 'rm -f "$warnings"' EXIT
"$(toolchain_program llvm-profdata)" merge -sparse -failure-mode=all "$binaries"/codecov/*.profraw -o "$profile" 2>"$warnings" ||
    { cat "$warnings" >&2; fail "The profiles can't be read."; }
grep -v 'counter overflow' "$warnings" >&2 || true
tests=$(find "$binaries/" -maxdepth 1 -name '*PackageTests.xctest' | head -n 1)
[ -d "$tests" ] && tests=$(find "$tests/Contents/MacOS" -type f | head -n 1)

# A row of `llvm-cov report`: file, 3 columns of regions, 3 of functions, then lines, missed lines and their percentage.
"$(toolchain_program llvm-cov)" report "$tests" -instr-profile "$profile" "$root"/Sources/Larder* 2>/dev/null |
    awk -v least="$least" -v root="$root/" '
        { sub(root, ""); sub(/^Sources\//, "") }
        $1 ~ /\.swift$/ {
            target = $1
            sub(/\/.*/, "", target)
            # Users do not link the program, the compiler plug-in and the test support.
            if (target ~ /^Larder(Command|ObjectsMacros|TestSupport)$/) next
            lines[target] += $8
            missed[target] += $9
        }
        END {
            failed = 0
            for (target in lines) {
                if (lines[target] == 0) continue
                percent = 100 * (lines[target] - missed[target]) / lines[target]
                printf "%-22s %6.2f %%  of %5d lines%s\n", target, percent, lines[target],
                    (percent < least ? "  <- below " least " %" : "") | "sort"
                if (percent < least) failed = 1
                all += lines[target]
                allMissed += missed[target]
            }
            close("sort")
            if (all == 0) { print "No library line was measured."; exit 1 }
            printf "%-22s %6.2f %%  of %5d lines\n", "all libraries", 100 * (all - allMissed) / all, all
            exit failed
        }' || fail "The line coverage of a library target is below $least %."
