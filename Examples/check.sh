#!/bin/sh
# Builds every example and runs its tests, or its own script `run`.
set -eu
cd "$(dirname "$0")"
for package in */Package.swift; do
    folder=$(dirname "$package")
    echo "==== $folder"
    if [ -x "$folder/run" ]; then
        "$folder/run"
    else
        swift test --disable-xctest --package-path "$folder"
    fi
done
