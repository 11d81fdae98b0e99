#!/bin/sh
# Coverage-guided fuzzing of the log reader and of the value decoder, both at once: Scripts/fuzz.sh [SECONDS [SEED]], 60 seconds
# unless told otherwise.
#
# What is in Tests/Fuzzing/Corpus is tried first, every input of it. Without a seed each run goes ways of its own, and new inputs
# that reach new code are added to the corpus in .build/fuzz/corpus. With one, as in CI, it begins at the corpus alone and goes
# the same way each time, as far as the time allows: CI tells what a change broke, and is no lottery. An input that breaks
# something is left in .build/fuzz and printed. `Scripts/fuzz.sh build` only builds.
. "$(dirname -- "$0")/settings.sh"
seconds=${1:-60}
seed=${2:-}
scratch="$root/.build/fuzz"
# Not for the macros: with another manifest than the checks' SwiftPM would resolve the packages anew, beside them.
use_macros
say "Building the libraries with coverage for the fuzzer"
for target in LarderDeviceStore LarderTestSupport; do
    LARDER_TESTS=none swift build -c release --scratch-path "$scratch" --target "$target" -Xswiftc -sanitize=fuzzer </dev/null
done
products="$scratch/release"
# SwiftPM names the package after its folder, and that name is what "package" declarations are open to.
package=$(sed -n 's/.*"-package-name","\([^"]*\)".*/\1/p' "$scratch/release.yaml" | head -n 1)
objects=
for module in LarderCore CLarderPlatform LarderFiles LarderDeviceStore LarderTestSupport Logging; do
    objects="$objects $(find "$products/$module.build" -name '*.o')"
done
targets="FuzzLog FuzzValue"

for target in $targets; do
    # Of the proofs it is only this: all of them would be compiled for it.
    made=
    [ "$target" != FuzzLog ] || made=Tests/DeviceStoreProofs/Damage/HandmadeLog.swift
    # shellcheck disable=SC2086
    swiftc -O -whole-module-optimization -sanitize=fuzzer -parse-as-library -swift-version 6 -package-name "$package" -module-name "$target" \
        -I "$products/Modules" -Xcc -fmodule-map-file="$products/CLarderPlatform.build/module.modulemap" \
        "Tests/Fuzzing/$target.swift" $made $objects -o "$scratch/$target" || fail "$target does not build."
done

[ "$seconds" != build ] || exit 0

# fuzz TARGET: tries the corpus, then what follows from it; its status stands in TARGET.status.
fuzz() {
    cd "$scratch"
    kept="$root/Tests/Fuzzing/Corpus/${1#Fuzz}"
    found="$scratch/corpus/$1"
    [ -z "$seed" ] || found="$scratch/corpus-of-this-run/$1"
    mkdir -p "$found"
    echo 1 >"$1.status"
    SWIFT_BACKTRACE=enable=no "./$1" -runs=0 -timeout=10 -artifact_prefix="$1-" "$kept" >"$1.log" 2>&1 &&
        SWIFT_BACKTRACE=enable=no "./$1" -max_total_time="$seconds" -max_len=16384 -timeout=10 ${seed:+-seed="$seed"} \
            -print_final_stats=1 -verbosity=1 -artifact_prefix="$1-" "$found" "$kept" >>"$1.log" 2>&1 &&
        echo 0 >"$1.status"
}

say "FuzzLog and FuzzValue for $seconds s"
rm -rf "$scratch/corpus-of-this-run"
for target in $targets; do (fuzz "$target") & done
wait
status=0
for target in $targets; do
    kept=$(find "Tests/Fuzzing/Corpus/${target#Fuzz}" -type f | wc -l)
    say "$target: $kept inputs of the corpus, then"
    sed -n 's/^stat::number_of_executed_units: */  inputs: /p; s/^stat::new_units_added: */  of them new: /p' "$scratch/$target.log"
    [ "$(cat "$scratch/$target.status")" -eq 0 ] || { status=1; tail -n 40 "$scratch/$target.log" >&2; }
done
[ "$status" -eq 0 ] || fail "An input broke it: see above, and $scratch."
say "Nothing broke"
