#!/bin/sh
# Compiles the macros of object storage into a compiler plug-in library, against the toolchain's SwiftSyntax, and prints the library's
# folder: the value of LARDER_MACROS for Package.swift. The first run takes ten seconds; compiling the package swift-syntax would take
# minutes. If the toolchain has no SwiftSyntax, prints nothing, and builds use the package.
#
# The folder's name depends on the sources and the toolchain, so that a changed macro rebuilds the targets that use macros.
# `Scripts/macros.sh library` prints the path of the library, for -load-plugin-library in a package that uses Larder. LARDER_SWIFT_SYNTAX
# overrides the folder of the toolchain's SwiftSyntax; LARDER_SWIFT_SYNTAX=/nowhere tests the build without it.
. "$(dirname -- "$0")/settings.sh"
resources=$(swiftc -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)".*|\1|p')
syntax=${LARDER_SWIFT_SYNTAX:-$resources/host}
for module in SwiftSyntax SwiftSyntaxBuilder SwiftSyntaxMacros SwiftSyntaxMacroExpansion SwiftDiagnostics SwiftParser; do
    [ -d "$syntax/$module.swiftmodule" ] || exit 0
done

# Plugin.swift is the main program of the package's plug-in, which the library must not contain.
sources=$(find Sources/LarderObjectsMacros -name '*.swift' ! -name Plugin.swift | LC_ALL=C sort)
# shellcheck disable=SC2086
state=$({ swiftc --version 2>&1; echo "$syntax"; cat Scripts/macros.sh $sources; } | cksum | tr ' ' -)
folder="$root/.build/macros/$state"
case $(uname -s) in
    Darwin) library=libLarderObjectsMacros.dylib ;;
    *) library=libLarderObjectsMacros.so ;;
esac
if [ ! -d "$folder" ]; then
    say "Compiling the macros against the toolchain's SwiftSyntax" >&2
    mkdir -p "$root/.build/macros"
    new=$(mktemp -d "$root/.build/macros/new.XXXXXX")
    trap 'rm -rf "$new"' EXIT INT TERM
    # shellcheck disable=SC2086
    swiftc -emit-library -whole-module-optimization -Onone -module-name LarderObjectsMacros -parse-as-library -D Objects \
        -swift-version 6 -enable-upcoming-feature ExistentialAny -enable-upcoming-feature InternalImportsByDefault \
        -enable-upcoming-feature MemberImportVisibility -module-cache-path "$root/.build/macros/cache" \
        -I "$syntax" -L "$syntax" -Xlinker -rpath -Xlinker "$syntax" $sources -o "$new/$library" >&2 ||
        fail "The macros do not compile against $syntax; to build with the package swift-syntax, set LARDER_SWIFT_SYNTAX=/nowhere."
    ln -s "$syntax" "$new/SwiftSyntax"
    chmod 755 "$new"
    # Another run may have finished first.
    [ -d "$folder" ] || mv "$new" "$folder"
fi
case ${1-} in
    library) echo "$folder/$library" ;;
    *) echo "$folder" ;;
esac
