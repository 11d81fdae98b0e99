#!/bin/sh
# Builds Tests/Packages/DefaultsOnly, and checks that using the typed defaults fetches swift-log and nothing else.
. "$(dirname -- "$0")/settings.sh"
scratch="$root/.build/examples"
# shellcheck disable=SC2086
swift build --package-path Tests/Packages/DefaultsOnly $shared_build_flags </dev/null ||
    fail "A package that uses LarderDefaults alone does not build."
fetched=$(ls "$scratch/checkouts")
[ "$fetched" = swift-log ] || fail "A package that uses LarderDefaults alone fetches: $fetched"
"$scratch/debug/DefaultsOnly"
