#!/bin/sh
# The build that lint and test share. Its exit status says whether every target imports only what Package.swift lists
# for it: with that flag SwiftPM prints "Build complete!" even when it is not.
. "$(dirname -- "$0")/settings.sh"
# shellcheck disable=SC2086
swift build --build-tests $checked_build_flags </dev/null ||
    fail "The build failed, or a target imports a module that Package.swift does not list for it (see above)."
