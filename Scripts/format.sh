#!/bin/sh
# Formats all Swift code in place, or with "lint" says what is not formatted or documented as .swift-format wants it.
. "$(dirname -- "$0")/settings.sh"
case ${1:-} in
    lint) mode='lint --strict' ;;
    *) mode='--in-place' ;;
esac
# The seed documents' samples stand as they were printed.
# shellcheck disable=SC2086
find Sources Tests Benchmarks Examples Package.swift -name '.build*' -prune -o -name '*.swift' -not -path 'Tests/SeedTests*' -print |
    LC_ALL=C sort | xargs swift format $mode --parallel --configuration .swift-format
