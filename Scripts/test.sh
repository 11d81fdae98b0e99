#!/bin/sh
# Builds and runs the tests, with the home folder and the XDG folders in a temporary place, and checks that they leave nothing there.
# Further arguments go to `swift test`, such as `Scripts/test.sh --filter LarderCoreTests`.
. "$(dirname -- "$0")/settings.sh"
"$root/Scripts/build.sh"
use_checked_build

home=$(mktemp -d "${TMPDIR:-/tmp}/larder-test-home.XXXXXX")
trap 'rm -rf "$home"' EXIT INT TERM
mkdir -p "$home/user/.config" "$home/user/.local/share" "$home/user/.local/state" "$home/user/.cache" "$home/tmp"
started="$home/started"
touch "$started"

# SwiftPM keeps its own caches where they are; everything the tests start sees the temporary home.
package_caches="--cache-path ${XDG_CACHE_HOME:-$HOME/.cache}/org.swift.swiftpm"
# POSIX sh has no pipefail: the status travels in a file.
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

# The compiler's caches are SwiftPM's, which looks at the package once more before it runs what was built.
# Foundation keeps a file for UserDefaults.standard, which the documents' samples use, and for each suite that was ever written to.
left=$(find "$home/user" -type f -not -path '*/.cache/clang/*' -not -path '*/org.swift.swiftpm/*' \
    -not -name 'larderPackageTests.xctest.plist')
[ -z "$left" ] || fail "The tests left files in their home folder:
$left"
# In the user's own home other programs write meanwhile: only what the tests' own programs would leave there counts.
helpers=$(grep -o '"[A-Za-z]*Helper"' Package.swift | tr -d '"' | sort -u)
[ -n "$helpers" ] || fail "Package.swift names no program that tests start: its helpers are looked for by their names."
for folder in "${XDG_CONFIG_HOME:-$HOME/.config}" "${XDG_DATA_HOME:-$HOME/.local/share}"; do
    for program in larderPackageTests swiftpm-testing-helper $helpers; do
        left="$left$(find "$folder/$program" "$folder/$program.plist" -newer "$started" -type f 2>/dev/null || true)"
    done
done
[ -z "$left" ] || fail "The tests left files in the home folder of the user:
$left"
# A test that causes an issue takes it (`.expectsIssues`), so that what is printed is news.
# That this is a test process is no fault of a test.
issues=$(grep ' error larder' "$home/log" | grep -v ' testProcess: ' || true)
[ -z "$issues" ] || fail "The tests printed issues that no test expects (\`.expectsIssues\` takes those that one causes):
$issues"
