#!/bin/sh
# Builds Tests/Packages/DefaultsOnly, and checks that a package with the typed defaults alone fetches only swift-log.
. "$(dirname -- "$0")/settings.sh"
# shellcheck disable=SC2086
swift build --package-path Tests/Packages/DefaultsOnly $shared_build_flags </dev/null ||
    fail "A package that uses LarderDefaults alone does not build."
# In a folder of its own: what is there was fetched for this package.
fetching="$root/.build/defaults-only"
rm -rf "$fetching"
swift package --package-path Tests/Packages/DefaultsOnly --scratch-path "$fetching" resolve </dev/null
fetched=$(ls "$fetching/checkouts")
[ "$fetched" = swift-log ] || fail "A package that uses LarderDefaults alone fetches: $fetched"
# shellcheck disable=SC2086
"$(swift build --package-path Tests/Packages/DefaultsOnly $shared_build_flags --show-bin-path)/DefaultsOnly"
