#!/bin/sh
# Builds every example and runs its tests, or its own script `run`.
#
# Those that take Larder without a trait share one scratch folder, also with Scripts/defaults-only.sh: Larder is compiled once for them.
. "$(dirname -- "$0")/../Scripts/settings.sh"
export BUILD_FLAGS="$shared_build_flags"
cd Examples
for package in */Package.swift; do
    folder=$(dirname "$package")
    say "$folder"
    if [ -x "$folder/run" ]; then
        "$folder/run"
    else
        # shellcheck disable=SC2086
        swift test --disable-xctest --package-path "$folder" $BUILD_FLAGS
    fi
done
