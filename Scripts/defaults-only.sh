#!/bin/sh
# Builds and runs Tests/Packages/DefaultsOnly, and checks that a package that uses only LarderDefaults fetches only swift-log.
. "$(dirname -- "$0")/settings.sh"
# shellcheck disable=SC2086
swift build --package-path Tests/Packages/DefaultsOnly $shared_build_flags </dev/null ||
    fail "A package that uses only LarderDefaults does not build (see above)."
# A new folder, so that it contains only what is fetched for this package.
fetching="$root/.build/defaults-only"
rm -rf "$fetching"
swift package --package-path Tests/Packages/DefaultsOnly --scratch-path "$fetching" resolve </dev/null
fetched=$(ls "$fetching/checkouts")
[ "$fetched" = swift-log ] || fail "A package that uses only LarderDefaults must fetch only swift-log, but fetches: $fetched"
# shellcheck disable=SC2086
"$(swift build --package-path Tests/Packages/DefaultsOnly $shared_build_flags --show-bin-path)/DefaultsOnly"
