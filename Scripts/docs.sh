#!/bin/sh
# Writes the reference documentation of every library to .build/docs, one folder for each library.
. "$(dirname -- "$0")/settings.sh"
output="$root/.build/docs"
graphs="$root/.build/symbol-graphs"
libraries=$(awk '!/^#/ && $1 ~ /^Larder/ && $1 !~ /^(Larder|LarderCommand|LarderTestSupport|LarderObjectsMacros)$/ { print $1 }' Scripts/layers.txt)

say "Extracting the public declarations"
# An up-to-date build would write no symbol graphs.
rm -rf "$graphs" "$output" "$root/.build/docs-build"
mkdir -p "$graphs" "$output"
# Modules that need a trait have pages, too.
use_macros
swift build --scratch-path "$root/.build/docs-build" --enable-all-traits $lean -Xswiftc -emit-symbol-graph \
    -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs" -Xswiftc -symbol-graph-minimum-access-level \
    -Xswiftc public </dev/null

docc=$(toolchain_program docc)
for library in $libraries; do
    say "$library"
    mkdir -p "$graphs/$library"
    mv "$graphs/$library.symbols.json" "$graphs/$library@"*.symbols.json "$graphs/$library/" 2>/dev/null || true
    [ -f "$graphs/$library/$library.symbols.json" ] || fail "The compiler wrote no symbol graph of $library."
    # The library's articles.
    catalog="Sources/$library/$library.docc"
    [ -d "$catalog" ] || catalog=
    # shellcheck disable=SC2086
    "$docc" convert $catalog --warnings-as-errors --additional-symbol-graph-dir "$graphs/$library" --fallback-display-name "$library" \
        --fallback-bundle-identifier "larder.$library" --transform-for-static-hosting \
        --hosting-base-path "$library" --output-path "$output/$library" </dev/null
done
say "The pages are in .build/docs. To read them, run python3 -m http.server -d .build/docs and open http://localhost:8000/LarderCore/documentation/lardercore"
