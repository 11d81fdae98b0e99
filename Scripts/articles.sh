#!/bin/sh
# Checks that the first code block of each article compiles in an empty package, and that its output equals the comments after print calls.
#
# Scripts/articles.sh [ARTICLE...]. A single package has a program for each article, so that Larder is compiled only once. Code blocks in
# other languages are skipped. Each program runs in an empty folder, which is also its home folder.
. "$(dirname -- "$0")/settings.sh"
use_macros
library=$(Scripts/macros.sh library)
plugin=
[ -z "$library" ] || plugin=".unsafeFlags([\"-load-plugin-library\", \"$library\"])"
package="$root/.build/articles/package"
rm -rf "$package/Sources"
mkdir -p "$package/Sources"

# first_block ARTICLE: prints its first block of Swift code.
first_block() { awk '/^```swift/ { isCode = 1; next } /^```/ { if (isCode) exit } isCode' "$1"; }

# documented FILE: prints the comments after the print calls in the file.
documented() { sed -n -e '\|^ *//|d' -e 's|^.*print(.*[)}]  *// *||p' "$1"; }

articles=${*:-$(git ls-files 'Sources/*/*.docc/*.md')}
products=
targets=
for article in $articles; do
    name=$(basename "$article" .md)
    [ "$name" != "$(echo "$article" | sed 's|Sources/\([^/]*\)/.*|\1|')" ] || name="${name}Page"
    mkdir -p "$package/Sources/$name"
    first_block "$article" >"$package/Sources/$name/main.swift"
    [ -s "$package/Sources/$name/main.swift" ] || fail "$article has no Swift code."
    [ -n "$(documented "$package/Sources/$name/main.swift")" ] ||
        fail "The first code block of $article has no \`print(...)  // OUTPUT\`."
    targets="$targets
    .executableTarget(name: \"$name\", dependencies: larder, swiftSettings: macros),"
    products="$products $article:$name"
done

cat >"$package/Package.swift" <<END
// swift-tools-version: 6.2
import PackageDescription

let larder: [Target.Dependency] = [
    "Larder", "LarderObjects", "LarderConfiguration", "LarderTesting", "LarderReplication", "LarderPostgres",
    "LarderInspector",
].map { .product(name: \$0, package: "larder") }

let macros: [SwiftSetting] = [$plugin]

let package = Package(
    name: "Articles",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "larder", path: "$root", traits: ["Objects", "Encryption", "Configuration", "Replication", "Postgres", "Inspector"])],
    targets: [$targets
    ]
)
END
say "Building the first code block of each article"
swift build --package-path "$package" --scratch-path "$root/.build/articles" -debug-info-format none </dev/null ||
    fail "The first code block of an article does not compile in an empty package (see above)."

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
status=0
for product in $products; do
    article=${product%%:*}
    name=${product##*:}
    documented "$package/Sources/$name/main.swift" >"$home/expected"
    mkdir -p "$home/$name"
    (cd "$home/$name" && HOME="$home/$name" CFFIXED_USER_HOME="$home/$name" TMPDIR="$home/$name" XDG_DATA_HOME="$home/$name/data" \
        SWIFT_BACKTRACE=enable=no timeout 60 "$root/.build/articles/debug/$name") >"$home/printed" 2>"$home/errors" </dev/null ||
        { echo "$article: the program in its first code block fails:"; cat "$home/errors"; status=1; }
    diff -u "$home/expected" "$home/printed" >"$home/difference" ||
        { echo "$article: the output of its first code block differs from the comments:"; cat "$home/difference"; status=1; }
done
[ "$status" -eq 0 ] || fail "The first code block of an article fails, or its output differs from the comments (see above)."
say "The first code block of each article compiles, and its output equals the comments"
