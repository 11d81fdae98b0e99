#!/bin/sh
# Formats all Swift code in place; with "lint" reports code that breaks the format or documentation rules of .swift-format.
. "$(dirname -- "$0")/settings.sh"
case ${1:-} in
    lint) mode='lint --strict' ;;
    *) mode='--in-place' ;;
esac
# The samples of the seed documents stay unchanged.
# shellcheck disable=SC2086
find Sources Tests Benchmarks Examples Package.swift -name '.build*' -prune -o -name '*.swift' -not -path 'Tests/SeedTests*' -print |
    LC_ALL=C sort | xargs swift format $mode --parallel --configuration .swift-format
