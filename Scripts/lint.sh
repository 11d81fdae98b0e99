#!/bin/sh
# Checks format, documentation comments, words, spelling, layering rules, imports, the time to type-check lines that use a store, that
# libraries compile without traits, and the dependencies of a package that uses only LarderDefaults.
. "$(dirname -- "$0")/settings.sh"
status=0

say "Format and documentation comments"
"$root/Scripts/format.sh" lint || status=1

say "Words"
"$root/Scripts/words.sh" || status=1

say "Spelling"
"$root/Scripts/spelling.sh" || status=1

say "Layering rules"
"$root/Scripts/layering.sh" || status=1

say "Imports against Package.swift"
"$root/Scripts/build.sh" || status=1

say "Time to type-check"
"$root/Scripts/type-checking.sh" || status=1

say "Libraries without traits"
"$root/Scripts/traits.sh" none || status=1

say "A package that uses only LarderDefaults"
"$root/Scripts/defaults-only.sh" || status=1

[ "$status" -eq 0 ] || fail "Lint failed; see the findings above."
say "Lint passed"
