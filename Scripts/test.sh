#!/bin/sh
# Builds and runs the tests with temporary home and XDG folders, and checks that the tests leave no files there. Arguments choose tests as
# those of `swift test` do: `Scripts/test.sh --filter LarderCoreTests`.
. "$(dirname -- "$0")/settings.sh"
"$root/Scripts/build.sh"
use_checked_build

home=$(mktemp -d "${TMPDIR:-/tmp}/larder-test-home.XXXXXX")
trap 'rm -rf "$home"' EXIT INT TERM
mkdir -p "$home/user/.config" "$home/user/.local/share" "$home/user/.local/state" "$home/user/.cache" "$home/tmp"
started="$home/started"
touch "$started"

# run ARGUMENT...: runs tests in one process, with coverage.
#
# The program runs directly, because two `swift test` would wait for each other. Where tests are a bundle, `swift test` runs all of them.
tests=$checks/debug/larderPackageTests.xctest
coverage=$checks/debug/codecov
profile=$coverage/tests-%m.profraw
rm -rf "$coverage"
run() {
    if [ -d "$tests" ]; then
        # shellcheck disable=SC2086
        set -- swift test --skip-build --disable-xctest --ignore-lock --scratch-path "$checks" $checked_traits "$@"
    else
        set -- "$tests" --testing-library swift-testing "$@"
    fi
    HOME="$home/user" TMPDIR="$home/tmp" CFFIXED_USER_HOME="$home/user" \
        XDG_CONFIG_HOME="$home/user/.config" XDG_DATA_HOME="$home/user/.local/share" \
        XDG_CACHE_HOME="$home/user/.cache" XDG_STATE_HOME="$home/user/.local/state" \
        XDG_RUNTIME_DIR="$home/tmp" SWIFT_BACKTRACE=enable=no NO_COLOR=1 LLVM_PROFILE_FILE="$profile" \
        "$@" </dev/null 2>&1 || echo "$?" >>"$home/failed"
}

# Swift Testing runs at most as many blocking tests at a time as there are processors, and most tests of stores wait: for other processes,
# for the disk, for time. So all tests run in several processes. Kills and crash images wait the longest.
if [ $# -gt 0 ]; then
    run "$@" | tee "$home/log"
else
    kills='(DeviceStore(Kill|Counting|Call|Crash)|MigrationDeath|SharedKill)Tests'
    # These tests suspend for each of many answers of another process, and would wait each time for all other tests of their process.
    dialogs='^LarderPostgres|MergeDelayTests'
    {
        # A process that is killed while it merges its counters corrupts the profile.
        profile=/dev/null run --filter "$kills" &
        profile=$coverage/dialogs-%m.profraw run --filter "$dialogs" &
        profile=$coverage/engine-%m.profraw run --filter '^DeviceStore' --skip "$kills" &
        profile=$coverage/objects-%m.profraw run --filter '^(LarderObjects|ObjectProof)' --skip "$kills|$dialogs" &
        run --skip "^(DeviceStore|LarderObjects|ObjectProof)|$dialogs" &
        wait
    } | tee "$home/log"
fi
[ ! -s "$home/failed" ] || { failures "$home/log"; fail "Tests failed (status $(head -n 1 "$home/failed"))."; }

# Allowed are the compiler's caches, and the file of UserDefaults.standard, which the samples of the source documents use.
left=$(find "$home/user" -type f -not -path '*/.cache/clang/*' -not -path '*/org.swift.swiftpm/*' \
    -not -name 'larderPackageTests.xctest.plist')
[ -z "$left" ] || fail "The tests left files in their temporary home folder:
$left"
# Other programs may write to the user's real home folder, so only files with the names of test programs are checked there.
helpers=$(grep -o '"[A-Za-z]*Helper"' Package.swift | tr -d '"' | sort -u)
[ -n "$helpers" ] || fail "Package.swift has no program whose name ends in Helper. Update Scripts/test.sh, which looks for their leftover files."
for folder in "${XDG_CONFIG_HOME:-$HOME/.config}" "${XDG_DATA_HOME:-$HOME/.local/share}"; do
    for program in larderPackageTests swiftpm-testing-helper $helpers; do
        left="$left$(find "$folder/$program" "$folder/$program.plist" -newer "$started" -type f 2>/dev/null || true)"
    done
done
[ -z "$left" ] || fail "The tests left files in the user's real home folder:
$left"
# A test that causes an issue declares it with `.expectsIssues`, so a printed issue is unexpected. The issue `testProcess` is always
# allowed.
issues=$(grep ' error larder' "$home/log" | grep -v ' testProcess: ' || true)
[ -z "$issues" ] || fail "The tests printed unexpected issues. Fix the cause, or add the trait \`.expectsIssues\` to the test:
$issues"
