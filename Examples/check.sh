#!/bin/sh
# Builds every example, and runs its script `run` or, without one, its tests.
#
# Examples that use Larder without a trait share a scratch folder with Scripts/defaults-only.sh, so that Larder is compiled only once; the
# one with object storage shares the folder of Scripts/roads.sh.
. "$(dirname -- "$0")/../Scripts/settings.sh"
use_objects_build
# The other examples build as a user's package does.
unset LARDER_MACROS
export BUILD_FLAGS="$shared_build_flags" OBJECTS_BUILD_FLAGS="$objects_build_flags"
cd Examples
for package in */Package.swift; do
    folder=$(dirname "$package")
    say "$folder"
    if [ -x "$folder/run" ]; then
        "$folder/run"
    else
        # shellcheck disable=SC2086
        swift test --disable-xctest --enable-swift-testing --package-path "$folder" $BUILD_FLAGS
    fi
done
