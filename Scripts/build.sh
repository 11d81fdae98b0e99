#!/bin/sh
# The build that lint and test share. Its exit status says whether every target imports only what Package.swift lists
# for it: with that flag SwiftPM prints "Build complete!" even when it is not.
. "$(dirname -- "$0")/settings.sh"
use_checked_build
# Where swift-syntax was compiled before, its modules would be found before those of the same names that come with the toolchain.
for module in ${LARDER_MACROS:+"$LARDER_MACROS"/SwiftSyntax/*.swiftmodule}; do
    rm -f "$checks/debug/Modules/${module##*/}"
done
# SwiftPM keeps the traits in a set, and hands them to the compiler in its order, which is another one in each process: lint's
# build and test's would compile everything here anew. With hashing that is the same every time the order is, too.
# shellcheck disable=SC2086
SWIFT_DETERMINISTIC_HASHING=1 swift build --build-tests $checked_build_flags </dev/null ||
    fail "The build failed, or a target imports a module that Package.swift does not list for it (see above)."
