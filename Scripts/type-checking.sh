#!/bin/sh
# Checks that the compiler type-checks each line of StoreLines.swift within 100 ms, with every store, in Swift 6 and Swift 5 mode. The
# compiler measures its own processor time, which does not depend on other load. Needs the build of Scripts/build.sh; takes some seconds.
. "$(dirname -- "$0")/settings.sh"

limit=${1:-100}
products="$checks/debug"
lines=Tests/LarderStoresTests/StoreLines/StoreLines.swift
[ -d "$products/Modules" ] || fail "The build is missing: run Scripts/build.sh first."

maps=$(module_maps)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
stores='some KeyValueStore,any KeyValueStore,DeviceStore,MemoryStore,PropertyListStore,SharedPreferencesStore,PrefixedStore,EncryptedStore'
status=0
for mode in 6 5; do
    IFS=,
    for store in $stores; do
        file="$folder/$(printf %s "$store" | tr -d ' ')-$mode.swift"
        sed "s/any KeyValueStore/$store/g" "$lines" >"$file"
        unset IFS
        # shellcheck disable=SC2086
        swiftc -typecheck -parse-as-library -swift-version $mode -I "$products/Modules" $maps \
            -Xfrontend -warn-long-expression-type-checking="$limit" \
            -Xfrontend -warn-long-function-bodies=$((limit * 10)) "$file" >"$folder/said" 2>&1 || status=1
        IFS=,
        [ ! -s "$folder/said" ] || { status=1; cat "$folder/said" >&2; }
    done
    unset IFS
done
[ "$status" -eq 0 ] || fail "A line does not compile with every store, or takes longer than $limit ms to type-check (see above)."
