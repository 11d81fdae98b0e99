#!/bin/sh
# Format, documentation rules, words, layering rules, the time that lines take to type-check, and what a package gets that uses the typed defaults alone.
. "$(dirname -- "$0")/settings.sh"
status=0

say "Format and documentation comments"
"$root/Scripts/format.sh" lint || status=1

say "Words of what is new"
"$root/Scripts/words.sh" || status=1

say "Layering rules"
"$root/Scripts/layering.sh" || status=1

say "Imports against Package.swift"
"$root/Scripts/build.sh" || status=1

say "Time to type-check"
"$root/Scripts/type-checking.sh" || status=1

say "A package that uses LarderDefaults alone"
"$root/Scripts/defaults-only.sh" || status=1

[ "$status" -eq 0 ] || fail "Lint failed; what is wrong is printed above."
say "Lint passed"
