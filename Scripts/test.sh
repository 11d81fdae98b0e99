#!/bin/sh
# Builds and runs the tests, with the home folder and the XDG folders in a temporary place.
# Further arguments go to `swift test`, such as `Scripts/test.sh --filter LarderCoreTests`.
. "$(dirname -- "$0")/settings.sh"
"$root/Scripts/build.sh"

home=$(mktemp -d "${TMPDIR:-/tmp}/larder-test-home.XXXXXX")
trap 'rm -rf "$home"' EXIT INT TERM
mkdir -p "$home/config" "$home/data" "$home/cache" "$home/state" "$home/tmp"
started="$home/started"
touch "$started"

# SwiftPM keeps its own caches where they are; everything the tests start sees the temporary home.
package_caches="--cache-path ${XDG_CACHE_HOME:-$HOME/.cache}/org.swift.swiftpm"
status=0
# shellcheck disable=SC2086
HOME="$home" TMPDIR="$home/tmp" CFFIXED_USER_HOME="$home" \
    XDG_CONFIG_HOME="$home/config" XDG_DATA_HOME="$home/data" XDG_CACHE_HOME="$home/cache" \
    XDG_STATE_HOME="$home/state" XDG_RUNTIME_DIR="$home/tmp" SWIFT_BACKTRACE=enable=no \
    swift test --skip-build --disable-xctest $checked_build_flags $package_caches "$@" </dev/null || status=$?

left=$(find "${XDG_CONFIG_HOME:-$HOME/.config}" "${XDG_DATA_HOME:-$HOME/.local/share}" -newer "$started" -type f \
    \( -iname '*larder*' -o -name '*.plist' \) 2>/dev/null || true)
[ -z "$left" ] || fail "The tests left files in the home folder of the user: $left"
[ "$status" -eq 0 ] || fail "The tests failed (status $status)."
