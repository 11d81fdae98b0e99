#!/bin/sh
# Builds every example and runs its tests.
set -eu
cd "$(dirname "$0")"
for package in */Package.swift; do
    echo "==== $(dirname "$package")"
    swift test --disable-xctest --package-path "$(dirname "$package")"
done
