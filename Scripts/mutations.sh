#!/bin/sh
# Plants the faults of Tests/Mutations in the commit path of a copy of the sources, one at a time, and looks whether the kills and crash
# images that CI runs find it: they must find each. Scripts/mutations.sh [NAME...]; without a name the sources as they are, then all.
#
# A fault is a file: what is wrong then, behind "---" lines that stand in one place of Sources (how far they are indented makes no
# difference), and behind "+++" what takes their place, with `isPlanted` where it differs. All are compiled into one build, of which
# LARDER_PLANTED chooses one. A fault whose lines are not found has to be written anew for the code as it is.
#
# LARDER_PROOFS=few and LARDER_KILLS make the numbers smaller: what is found then tells how much CI's numbers have to spare.
. "$(dirname -- "$0")/settings.sh"
folder="$root/.build/mutations"
tree="$folder/tree"
# Prepared beside it, so that in the end only what differs is written, and compiled.
new="$folder/new"
rm -rf "$new"
mkdir -p "$new" "$tree"
git ls-files -co --exclude-standard -- Package.swift Sources Tests | while IFS= read -r file; do
    if [ -e "$file" ] || [ -h "$file" ]; then printf '%s\n' "$file"; fi
done >"$folder/files"
tar cf - -T "$folder/files" | (cd "$new" && tar xf -)

# plant MUTATION: in the one file that has its lines.
plant() {
    name=$(basename "$1" .txt)
    # Those that have one of the lines at all.
    line=$(sed -n '/^---$/{n;s/^[ \t]*//;p;}' "$1")
    places=$(cd "$new" && grep -rlF -- "$line" Sources || true)
    planted=
    for place in $places; do
        status=0
        awk -v mutation="$1" -v name="$name" '
            function trimmed(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
            BEGIN {
                while ((getline line < mutation) > 0) {
                    if (line == "---") part = 1
                    else if (line == "+++") part = 2
                    else if (part == 1) wanted[++count] = trimmed(line)
                    else if (part == 2) {
                        gsub(/isPlanted/, "isPlanted(\"" name "\")", line)
                        instead = instead line "\n"
                    }
                }
            }
            { text[NR] = $0; bare[NR] = trimmed($0) }
            END {
                for (row = 1; row <= NR; row++) {
                    same = 1
                    for (i = 1; i <= count && same; i++) same = bare[row + i - 1] == wanted[i]
                    if (!same) { print text[row]; continue }
                    found++
                    printf "%s", instead
                    row += count - 1
                }
                exit found == 1 ? 0 : found ? 2 : 1
            }' "$new/$place" >"$folder/mutant" || status=$?
        case $status in
            0) [ -z "$planted" ] || fail "The lines of $1 stand in $planted and in $place." ;;
            1) continue ;;
            *) fail "The lines of $1 stand in $place twice." ;;
        esac
        planted=$place
        cp "$folder/mutant" "$new/$place"
    done
    [ -n "$planted" ] || fail "The lines of $1 stand nowhere in Sources: write the fault anew for the code as it is."
    target=$(echo "$planted" | cut -d / -f 2)
    cat >"$new/Sources/$target/Planted.swift" <<'SWIFT'
import Foundation

private let planted = ProcessInfo.processInfo.environment["LARDER_PLANTED"] ?? ""
func isPlanted(_ fault: String) -> Bool { planted == fault }
SWIFT
}

# proofs NAME: runs them with that fault; what they found stands in the log. A minute after the first finding it has shown enough: with a
# fault they may wait long for what never comes.
proofs() {
    # shellcheck disable=SC2086
    LARDER_PLANTED=$1 SWIFT_BACKTRACE=enable=no swift test $flags --skip-build --disable-xctest </dev/null >"$folder/log" 2>&1 &
    run=$!
    left=60
    while [ "$left" -gt 0 ] && kill -0 "$run" 2>/dev/null; do
        sleep 1
        ! grep -q 'recorded an issue' "$folder/log" || left=$((left - 1))
    done
    if [ "$left" -eq 0 ]; then
        for child in $(ps -A -o pid=,ppid= | awk -v parent="$run" '$2 == parent { print $1 }'); do kill "$child" || :; done
        kill "$run" 2>/dev/null || :
    fi
    wait "$run"
}

for mutation in Tests/Mutations/*.txt; do plant "$mutation"; done
mkdir -p "$tree/Sources" "$tree/Tests"
LC_ALL=C diff -rq "$new" "$tree" | sed -n "s|^Files $new/\(.*\) and .* differ\$|\1|p; s|^Only in $new/*\(.*\): \(.*\)|\1/\2|p" |
    while IFS= read -r file; do cp -RP "$new/$file" "$tree/$(dirname "$file")/"; done
LC_ALL=C diff -rq "$new" "$tree" | sed -n "s|^Only in $tree/*\(.*\): \(.*\)|\1/\2|p" |
    while IFS= read -r file; do rm -rf "${tree:?}/$file"; done

say "Building the proofs with all faults (release)"
export LARDER_TESTS=DeviceStoreProofTests
flags="--package-path $tree --scratch-path $folder/build -c release -debug-info-format none"
# shellcheck disable=SC2086
swift build $flags --product larderPackageTests </dev/null

if [ $# -eq 0 ]; then
    say "No fault"
    proofs none || { tail -n 40 "$folder/log" >&2; fail "The proofs do not pass without a fault."; }
    grep 'Test run with' "$folder/log"
    set -- $(cd Tests/Mutations && ls | sed 's/\.txt$//')
fi
missed=
for name in "$@"; do
    say "$name: $(head -n 1 "Tests/Mutations/$name.txt")"
    status=0
    proofs "$name" || status=$?
    # For whoever wants to know what a test said.
    cp "$folder/log" "$folder/$name.log"
    if [ "$status" -eq 0 ]; then
        echo "    NOT FOUND"
        missed="$missed $name"
    else
        found=$(sed -n 's/.* Test \([A-Za-z0-9]*\)(.*) recorded an issue.*/\1/p' "$folder/log" | sort | uniq -c)
        [ -n "$found" ] || { tail -n 20 "$folder/log" >&2; fail "The proofs ended, and no test says why."; }
        echo "$found"
    fi
done
[ -z "$missed" ] || fail "The proofs do not find:$missed"
say "The proofs find each fault"
