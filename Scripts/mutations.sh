#!/bin/sh
# Plants the faults of Tests/Mutations in the commit path of a copy of the sources, one at a time, and fails unless the kills and crash
# images that CI runs find every fault. Scripts/mutations.sh [NAME...]; without a name, it runs the proofs without a fault, then with each.
#
# A fault is a file with three parts: a description; after "---", lines that occur exactly once in Sources (indentation is ignored); after
# "+++", the lines that replace them, with `isPlanted` as the condition for the fault. All faults are compiled into one build, and
# LARDER_PLANTED activates one. If the original lines change, update the fault.
#
# LARDER_PROOFS=few and LARDER_KILLS reduce the numbers of runs, to show the margin of CI's numbers.
. "$(dirname -- "$0")/settings.sh"
folder="$root/.build/mutations"
tree="$folder/tree"
# The sources are prepared in a second folder, so that only changed files are copied to the tree and compiled again.
new="$folder/new"
rm -rf "$new"
mkdir -p "$new" "$tree"
git ls-files -co --exclude-standard -- Package.swift Sources Tests | while IFS= read -r file; do
    if [ -e "$file" ] || [ -h "$file" ]; then printf '%s\n' "$file"; fi
done >"$folder/files"
tar cf - -T "$folder/files" | (cd "$new" && tar xf -)

# plant MUTATION: plants the fault in the only file that contains its lines.
plant() {
    name=$(basename "$1" .txt)
    # The candidates are files that contain the first line.
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
            0) [ -z "$planted" ] || fail "The lines of $1 occur in $planted and in $place." ;;
            1) continue ;;
            *) fail "The lines of $1 occur in $place twice." ;;
        esac
        planted=$place
        cp "$folder/mutant" "$new/$place"
    done
    [ -n "$planted" ] || fail "The lines of $1 do not occur in Sources: update the fault to the current code."
    target=$(echo "$planted" | cut -d / -f 2)
    cat >"$new/Sources/$target/Planted.swift" <<'SWIFT'
import Foundation

private let planted = ProcessInfo.processInfo.environment["LARDER_PLANTED"] ?? ""
func isPlanted(_ fault: String) -> Bool { planted == fault }
SWIFT
}

# proofs NAME: runs the proofs with the fault and logs the findings. Stops the proofs a minute after the first finding, because a fault may
# make them wait for an event that never occurs.
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
    say "Without a fault"
    proofs none || { tail -n 40 "$folder/log" >&2; fail "The proofs do not pass without a fault."; }
    grep 'Test run with' "$folder/log"
    set -- $(cd Tests/Mutations && ls | sed 's/\.txt$//')
fi
missed=
for name in "$@"; do
    say "$name: $(head -n 1 "Tests/Mutations/$name.txt")"
    status=0
    proofs "$name" || status=$?
    # The log is kept for inspection.
    cp "$folder/log" "$folder/$name.log"
    if [ "$status" -eq 0 ]; then
        echo "    NOT FOUND"
        missed="$missed $name"
    else
        found=$(sed -n 's/.* Test \([A-Za-z0-9]*\)(.*) recorded an issue.*/\1/p' "$folder/log" | sort | uniq -c)
        [ -n "$found" ] || { tail -n 20 "$folder/log" >&2; fail "The proofs failed, but no test recorded an issue (see above)."; }
        echo "$found"
    fi
done
[ -z "$missed" ] || fail "The proofs miss these faults:$missed"
say "The proofs find every fault"
