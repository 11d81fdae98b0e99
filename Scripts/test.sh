#!/bin/sh
# Builds and runs the tests with temporary home and XDG folders, and checks that the tests leave no files there. Arguments are passed to
# `swift test`, as in `Scripts/test.sh --filter LarderCoreTests`.
. "$(dirname -- "$0")/settings.sh"
"$root/Scripts/build.sh"
use_checked_build

home=$(mktemp -d "${TMPDIR:-/tmp}/larder-test-home.XXXXXX")
trap 'rm -rf "$home"' EXIT INT TERM
mkdir -p "$home/user/.config" "$home/user/.local/share" "$home/user/.local/state" "$home/user/.cache" "$home/tmp"
started="$home/started"
touch "$started"

# SwiftPM uses the user's caches; the tests and their child processes use the temporary home folder.
package_caches="--cache-path ${XDG_CACHE_HOME:-$HOME/.cache}/org.swift.swiftpm"
# POSIX sh has no pipefail, so a file holds the status.
# shellcheck disable=SC2086
{
    status=0
    HOME="$home/user" TMPDIR="$home/tmp" CFFIXED_USER_HOME="$home/user" \
        XDG_CONFIG_HOME="$home/user/.config" XDG_DATA_HOME="$home/user/.local/share" \
        XDG_CACHE_HOME="$home/user/.cache" XDG_STATE_HOME="$home/user/.local/state" \
        XDG_RUNTIME_DIR="$home/tmp" SWIFT_BACKTRACE=enable=no \
        swift test --skip-build --disable-xctest $checked_build_flags $package_caches "$@" </dev/null 2>&1 || status=$?
    echo "$status" >"$home/status"
} | tee "$home/log"
status=$(cat "$home/status")
[ "$status" -eq 0 ] || { failures "$home/log"; fail "The tests failed (status $status)."; }

# Allowed are SwiftPM's caches, and the file of UserDefaults.standard, which the samples of the source documents use.
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
