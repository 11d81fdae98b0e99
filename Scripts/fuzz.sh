#!/bin/sh
# Fuzzes the log reader, the value decoder and the filter parser in parallel, guided by coverage: Scripts/fuzz.sh [SECONDS [SEED]]; the
# default is 60 seconds.
#
# Every input in Tests/Fuzzing/Corpus runs first. Without a seed, each run is random, and inputs that reach new code are added to
# .build/fuzz/corpus. With a seed, as in CI, the run is deterministic and starts from Tests/Fuzzing/Corpus only, so that a failure in CI is
# caused by the change. An input that causes a failure is printed and saved in .build/fuzz. `Scripts/fuzz.sh build` only builds.
. "$(dirname -- "$0")/settings.sh"
seconds=${1:-60}
seed=${2:-}
scratch="$root/.build/fuzz"
# Fuzzing needs no macros, but SwiftPM would resolve the packages again if the manifest differed from that of the checks.
use_macros
say "Building the libraries with coverage for the fuzzer"
for target in LarderDeviceStore LarderTestSupport; do
    LARDER_TESTS=none swift build -c release --scratch-path "$scratch" --target "$target" -Xswiftc -sanitize=fuzzer </dev/null
done
products="$scratch/release"
# Code that uses "package" declarations must have the same package name, which SwiftPM derives from the folder.
package=$(sed -n 's/.*"-package-name","\([^"]*\)".*/\1/p' "$scratch/release.yaml" | head -n 1)
objects=
for module in LarderCore CLarderPlatform LarderFiles LarderDeviceStore LarderTestSupport Logging; do
    objects="$objects $(find "$products/$module.build" -name '*.o')"
done
targets="FuzzLog FuzzValue FuzzFilter"

for target in $targets; do
    # The fuzzer needs only this file of the proofs; the whole target would take longer to compile.
    made=
    [ "$target" != FuzzLog ] || made=Tests/DeviceStoreProofs/Damage/HandmadeLog.swift
    # The parser needs only these files of its module, which would take minutes to compile.
    if [ "$target" = FuzzFilter ]; then
        filtering=Sources/LarderObjects/Inspecting/Filtering
        made="-D Objects"
        for file in Token Lexer Expression Parser; do made="$made $filtering/Filter$file.swift"; done
    fi
    # shellcheck disable=SC2086
    swiftc -O -whole-module-optimization -sanitize=fuzzer -parse-as-library -swift-version 6 -package-name "$package" -module-name "$target" \
        -I "$products/Modules" -Xcc -fmodule-map-file="$products/CLarderPlatform.build/module.modulemap" \
        "Tests/Fuzzing/$target.swift" $made $objects -o "$scratch/$target" || fail "$target does not build."
done

[ "$seconds" != build ] || exit 0

# fuzz TARGET: runs the corpus, then mutated inputs, and writes the exit status to TARGET.status.
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

say "FuzzLog, FuzzValue and FuzzFilter for $seconds s"
rm -rf "$scratch/corpus-of-this-run"
for target in $targets; do (fuzz "$target") & done
wait
status=0
for target in $targets; do
    kept=$(find "Tests/Fuzzing/Corpus/${target#Fuzz}" -type f | wc -l)
    say "$target: $kept inputs in the corpus"
    sed -n 's/^stat::number_of_executed_units: */  generated inputs: /p; s/^stat::new_units_added: */  inputs with new coverage: /p' "$scratch/$target.log"
    [ "$(cat "$scratch/$target.status")" -eq 0 ] || { status=1; tail -n 40 "$scratch/$target.log" >&2; }
done
[ "$status" -eq 0 ] || fail "An input caused a failure (see above). The input is in $scratch."
say "Fuzzing found no failure"
