#!/bin/sh
# Checks the layering rules by text search, and prints each violation as "path:line: rule: text".
. "$(dirname -- "$0")/settings.sh"

# The lines of all Swift files in Sources, as path, line number and text, without lines that contain only a comment.
code=$(mktemp)
findings=$(mktemp)
allowed=$(mktemp)
trap 'rm -f "$code" "$findings" "$allowed"' EXIT
find Sources -name '*.swift' ! -name 'PageAsset+Content.swift' | LC_ALL=C sort | while read -r file; do
    awk -v file="$file" '!/^[ \t]*\/\// { printf "%s\t%d\t%s\n", file, FNR, $0 }' "$file"
done >"$code"

# rule NAME PATTERN [ALLOWED-PATHS]: reports lines that match the pattern. ALLOWED-PATHS is a regular expression for the start of a path.
rule() {
    awk -F '\t' -v name="$1" -v pattern="$2" -v free="${3-}" '
        free != "" && $1 ~ "^(" free ")" { next }
        $3 ~ pattern { printf "%s:%s: %s: %s\n", $1, $2, name, $3 }' "$code" >>"$findings"
}

rule platform-condition '#(if|elseif).*(os\(|canImport\((Glibc|Darwin|Musl|Android|Bionic|WinSDK))' Sources/LarderFiles/
rule platform-import 'import (Glibc|Darwin|Musl|Android|Bionic|WinSDK)' Sources/LarderFiles/
rule sqlite-outside-objects 'import .*(SQLite|GRDB|CSQLite|sqlite3)' Sources/LarderObjects/
rule try-trap '(^|[^A-Za-z0-9_])try!'
rule cast-trap '(^|[^A-Za-z0-9_])as!'
rule trap '(^|[^A-Za-z0-9_.])(fatalError|preconditionFailure|precondition|assertionFailure)\('
rule print '(^|[^A-Za-z0-9_.])(print|debugPrint|dump)\(' Sources/LarderCommand/
# Rules of decision 0054 for the device store's engine: only the API and the entry points of threads enter it, DeviceEngine has no
# extensions, and only Sharing/Failing marks it as failed.
engine=Sources/LarderDeviceStore
rule engine-extension '^(public |package )?extension DeviceEngine[ .{]'
rule engine-entered '[.]enter([ ({]|$)' "$engine/Store/|$engine/Paging/DeviceStore|$engine/Engine/|$engine/Opening/|$engine/Observing/Watching|$engine/Compaction/Compaction.Reasons|$engine/Syncing/Syncing[.]|$engine/Commit/Commit.Suspending"
rule engine-failed '(writer|shared)[.](failure|unconfirmed) = ' "$engine/Sharing/Failing"
rule text-to-number '(^|[^A-Za-z])NSString\('

# Finds folders that the tables of Documentation/Architecture.md omit, and folders in the tables that do not exist.
page=Documentation/Architecture.md
{
    awk -F '|' '
        /^\| (Folder of )?`Sources\/Larder/ { split($2, part, "`"); target = part[2] }
        !/^\|/ { target = "" }
        target != "" && !/`Sources\/Larder/ { count = split($2, names, "`"); for (i = 2; i <= count; i += 2) print target "/" names[i] }
    ' "$page"
    find Sources -mindepth 3 -name '*.swift' | sed 's|/[^/]*$||' | grep -v '^Sources/[^/]*$' | LC_ALL=C sort -u
} | LC_ALL=C sort | uniq -u | sed "s|.*|$page: folder-table: & is only in the table or only in Sources|" >>"$findings"

# Compares the imports of each target with Scripts/layers.txt. LarderCore must not need Foundation.
awk -F '\t' -v layers=Scripts/layers.txt '
    BEGIN {
        while ((getline line < layers) > 0) {
            if (line ~ /^#/) continue
            count = split(line, words, " ")
            known[words[1]] = 1
            for (i = 2; i <= count; i++) allowed[words[1], words[i]] = 1
        }
        count = split("Foundation FoundationEssentials Dispatch Observation Synchronization SwiftUI Combine", words, " ")
        for (i = 1; i <= count; i++) system_module[words[i]] = 1
    }
    { before = last; last = $3 }
    $3 ~ /^[ \t]*(@[A-Za-z_]+ )*((public|package|internal|fileprivate|private) )?import / {
        split($1, path, "/")
        target = path[2]
        text = $3
        sub(/^.*import +((struct|class|enum|protocol|typealias|func|let|var) +)?/, "", text)
        sub(/[^A-Za-z0-9_].*/, "", text)
        if (!(target in known)) {
            printf "%s:%s: unknown-target: %s is not in Scripts/layers.txt\n", $1, $2, target
        } else if (target == "LarderCore" && text ~ /^(Foundation|Dispatch|Observation|SwiftUI|Combine)$/) {
            if (!(text == "Foundation" && before ~ /^#else/))
                printf "%s:%s: foundation-in-core: %s\n", $1, $2, $3
        } else if (text ~ /^(Glibc|Darwin|Musl|Android|Bionic|WinSDK)$/) {
            next
        } else if (!(text in system_module) && !((target, text) in allowed)) {
            printf "%s:%s: layer: %s may not import %s\n", $1, $2, target, text
        }
    }' "$code" >>"$findings"

# Each @unchecked Sendable and nonisolated(unsafe) needs a comment that proves it: on its line, within three lines above, or on the next
# line.
find Sources -name '*.swift' | LC_ALL=C sort | while read -r file; do
    awk -v file="$file" '
        /\/\// { commented = FNR; if (pending && FNR == pendingLine + 1) pending = "" }
        pending && FNR > pendingLine { print pending; pending = "" }
        /@unchecked Sendable|nonisolated\(unsafe\)/ && !/"[^"]*(@unchecked|nonisolated)/ && FNR - commented > 3 {
            pending = sprintf("%s:%d: unproven: %s", file, FNR, $0)
            pendingLine = FNR
        }
        END { if (pending) print pending }' "$file"
done >>"$findings"

# Finds paths that differ only in case, which a case-insensitive file system would merge.
find Sources Tests Documentation Scripts | LC_ALL=C sort | awk '
    { folded = tolower($0) }
    folded in seen { printf "%s:1: case-only-difference: also %s\n", $0, seen[folded] }
    { seen[folded] = $0 }' >>"$findings"

# Applies the exceptions; reports unused ones.
status=0
grep -v -e '^#' -e '^word ' -e '^duplicate ' Scripts/exceptions.txt | awk 'NF' >"$allowed" || true
remaining=$(awk -v exceptions="$allowed" '
    BEGIN {
        while ((getline line < exceptions) > 0) {
            split(line, words, " ")
            exception[words[2] SUBSEP words[1]] = 1
        }
    }
    {
        split($0, words, ":")
        rule = words[3]
        gsub(/ /, "", rule)
        if ((words[1], rule) in exception) { used[words[1] SUBSEP rule] = 1; next }
        print
    }
    END {
        for (one in exception) if (!(one in used)) {
            split(one, words, SUBSEP)
            printf "Scripts/exceptions.txt: the exception %s for %s is no longer needed\n", words[2], words[1]
        }
    }' "$findings")
if [ -n "$remaining" ]; then
    printf '%s\n' "$remaining" >&2
    status=1
fi

# Checks that both files of each intentional duplicate exist, and that the exception has a reason.
grep '^duplicate ' Scripts/exceptions.txt | while read -r _ one other reason; do
    [ -f "$one" ] && [ -f "$other" ] && [ -n "$reason" ] ||
        echo "Scripts/exceptions.txt: $one or $other no longer exists, or the duplicate has no reason"
done >"$findings"
[ ! -s "$findings" ] || { cat "$findings" >&2; status=1; }

# This is only advice: a file of more than 500 lines usually has more than one topic.
find Sources -name '*.swift' -exec awk 'END { if (FNR > 500) printf "note: %s has %d lines\n", FILENAME, FNR }' {} \;
exit $status
