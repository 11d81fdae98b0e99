#!/bin/sh
# Coverage-guided fuzzing of the log reader and of the value decoder: Scripts/fuzz.sh [SECONDS-EACH], 30 unless told otherwise.
#
# New inputs that reach new code are added to the corpus in .build/fuzz/corpus; what is in Tests/Fuzzing/Corpus is where it
# begins. An input that breaks something is left in .build/fuzz and printed.
. "$(dirname -- "$0")/settings.sh"
seconds=${1:-30}
scratch="$root/.build/fuzz"
say "Building the libraries with coverage for the fuzzer"
LARDER_TESTS=none swift build -c release --scratch-path "$scratch" --target DeviceStoreProofs \
    -Xswiftc -sanitize=fuzzer </dev/null
products="$scratch/release"
# SwiftPM names the package after its folder, and that name is what "package" declarations are open to.
package=$(sed -n 's/.*"-package-name","\([^"]*\)".*/\1/p' "$scratch/release.yaml" | head -n 1)

status=0
for target in FuzzLog FuzzValue; do
    objects=
    for module in LarderCore CLarderPlatform LarderFiles LarderStores LarderTestSupport Logging; do
        objects="$objects $(find "$products/$module.build" -name '*.o')"
    done
    # shellcheck disable=SC2086
    swiftc -O -sanitize=fuzzer -parse-as-library -swift-version 6 -package-name "$package" -module-name "$target" \
        -I "$products/Modules" -Xcc -fmodule-map-file="$products/CLarderPlatform.build/module.modulemap" \
        "Tests/Fuzzing/$target.swift" $objects -o "$scratch/$target" || fail "$target does not build."
    corpus="$scratch/corpus/$target"
    mkdir -p "$corpus"
    say "$target for $seconds s"
    (cd "$scratch" && SWIFT_BACKTRACE=enable=no "./$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 \
        -print_final_stats=1 -verbosity=1 -artifact_prefix="$target-" "$corpus" "$root/Tests/Fuzzing/Corpus/${target#Fuzz}" \
        >"$scratch/$target.log" 2>&1) || { status=1; tail -n 40 "$scratch/$target.log" >&2; }
    sed -n 's/^stat::number_of_executed_units: */  inputs: /p; s/^stat::new_units_added: */  of them new: /p' "$scratch/$target.log"
done
[ "$status" -eq 0 ] || fail "An input broke it: see above, and $scratch."
say "Nothing broke"
