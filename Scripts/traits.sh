#!/bin/sh
# Checks that each library compiles without traits, and with each single trait that its sources mention. All builds of the scripts enable
# all traits, so a declaration that is missing without one would go unnoticed. Only the library itself is compiled that way, against the
# modules of Scripts/build.sh. Combinations are not tried.
#
# Scripts/traits.sh [TRAIT...]: tries only these traits, or none for "none", which takes 80 s on two cores.
. "$(dirname -- "$0")/settings.sh"

products="$checks/debug"
[ -d "$products/Modules" ] || fail "The build is missing: run Scripts/build.sh first."
maps=$(module_maps)
for map in "$root"/Sources/C*/include/module.modulemap "$root"/Sources/C*/module.modulemap \
    "$checks"/checkouts/*/Sources/*/module.modulemap "$checks"/checkouts/*/Sources/*/include/module.modulemap; do
    [ ! -f "$map" ] || maps="$maps -Xcc -fmodule-map-file=$map"
done
macros=$(Scripts/macros.sh library)
plugin=
[ -z "$macros" ] || plugin="-load-plugin-library $macros"
# SwiftPM names packages after their folders.
package=$(basename "$root" | tr '[:upper:]' '[:lower:]')

traits='Command Configuration Encryption Inspector Objects Postgres Replication'
wanted=" ${*:-none $traits} "
status=0
for folder in Sources/Larder*; do
    library=$(basename "$folder")
    [ "$library" != LarderObjectsMacros ] || continue
    # A library without conditions is compiled by every build.
    mentioned=
    for trait in $traits; do
        ! grep -rqE "^ *#(else)?if .*\b$trait\b" "$folder" --include='*.swift' || mentioned="$mentioned $trait"
    done
    for trait in ${mentioned:+none} $mentioned; do
        case $wanted in *" $trait "*) ;; *) continue ;; esac
        # shellcheck disable=SC2046,SC2086
        swiftc -typecheck -suppress-warnings -swift-version 6 -package-name "$package" -module-name "$library" -parse-as-library \
            -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
            -enable-upcoming-feature MemberImportVisibility \
            -I "$products/Modules" $maps $plugin -D "$trait" $(find "$folder" -name '*.swift') >&2 ||
            { status=1; say "$library does not compile with the traits: $trait"; }
    done
done
[ "$status" -eq 0 ] || fail "A library does not compile without a trait (see above)."
