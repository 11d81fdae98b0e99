#!/bin/sh
# Runs the build that lint and test share. Fails if a target imports a module that Package.swift does not list for it. Check the exit
# status: with --explicit-target-dependency-import-check, SwiftPM prints "Build complete!" even after such an error.
. "$(dirname -- "$0")/settings.sh"
use_checked_build
# Modules of a swift-syntax that was compiled earlier would hide the toolchain's modules of the same names.
for module in ${LARDER_MACROS:+"$LARDER_MACROS"/SwiftSyntax/*.swiftmodule}; do
    rm -f "$checks/debug/Modules/${module##*/}"
done
# SwiftPM passes the traits to the compiler in the order of a set, which differs in each process: the builds of lint and test would
# recompile everything. Deterministic hashing makes the order the same.
# shellcheck disable=SC2086
SWIFT_DETERMINISTIC_HASHING=1 swift build --build-tests $checked_build_flags </dev/null ||
    fail "The build failed, or a target imports a module that Package.swift does not list for it (see above)."
