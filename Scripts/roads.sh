#!/bin/sh
# Scripts/roads.sh [write | build]: records the call paths of reads and writes under callgrind, and compares them with the lists in
# Documentation/Architecture.md. `write` updates the lists, `build` only builds. Uses a debug build, because inlined functions do not appear
# in a call path.
. "$(dirname -- "$0")/settings.sh"
"$root/Scripts/require.sh" valgrind
use_objects_build
scratch="$root/.build/objects"
say "Building the program whose call paths are recorded"
# shellcheck disable=SC2086
LARDER_TESTS=none swift build $objects_build_flags --traits Objects --product ValueRoads </dev/null
[ "${1-}" != build ] || exit 0
page="$root/Documentation/Architecture.md"
# The maximum number of functions that the put of a typed default calls before the function that writes.
most=15
# Functions that may run at most once per call path: a key is hashed once, and a value is encoded, copied, checksummed and written once.
once='^(KeyHash[.]callAsFunction|StoredValue[.]encode[(]|StoredValue[.]copied|StoredValue[.]withOwnBytes|CRC32C[.]of|SystemCalls[.]write|PreparedStatement[.]run|RowPacker[.]finishRow)'
# A known violation, as a line that this script prints: a save writes the row, and its record in the history.
known='`storageManager.performAndSave { try $0.insertNewObject(ofType: Note.self).text = "a" }` calls PreparedStatement.run() 2 times. Change the code to call it once per value.'

folder=$(mktemp -d "${TMPDIR:-/tmp}/larder-roads.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

# follow PART: runs that part of the program under callgrind. Functions are separated by caller; otherwise callers of the same closure would
# be merged.
follow() {
    mkdir "$folder/$1"
    LLVM_PROFILE_FILE="$folder/profile-%p" SWIFT_BACKTRACE=enable=no timeout 900 valgrind --tool=callgrind --instr-atstart=no --demangle=no \
        --separate-threads=yes --separate-callers=100 --dump-instr=yes --compress-pos=no --callgrind-out-file="$folder/$1/out" \
        "$scratch/debug/ValueRoads" "$folder/$1" "$1" >"$folder/$1/log" 2>&1 || { cat "$folder/$1/log"; return 1; }
}

# functions FILE: prints "DEPTH CALLS NAME" for each function in callgrind's output.
functions() {
    sed -e "s/^\\(c*fn=([0-9]*) [^']*\\)'.*/\\1/" "$1" | awk -f "$root/Scripts/roads.awk" | "$(toolchain_program swift-demangle)" -simplified -compact
}

# road FILE TARGET [OTHER FILE...]: prints the list of one call path. From the files of other threads, includes only calls that lead to the
# target.
road() {
    file=$1
    target=$2
    shift 2
    title=$(sed -n 's/^desc: Trigger: Client Request: //p' "$file")
    functions "$file" >"$folder/road"
    for other in "$@"; do
        functions "$other" | awk -v target="$target" '
            function flush() { if (block ~ target) printf "%s", block; block = "" }
            $1 == 0 { flush() }
            { block = block $0 "\n" }
            END { flush() }' >>"$folder/road"
    done
    printf '\n`%s`\n\n```\n' "$title"
    status=0
    limit=
    case $title in 'Defaults['*'] = '*) limit=$most ;; esac
    awk -v target="$target" -v most="$limit" -f "$root/Scripts/road-lines.awk" "$folder/road" || status=$?
    printf '```\n'
    case $status in
        0) ;;
        3) echo "\`$title\` calls more than $most functions before the write. Remove a function that only forwards its call." >>"$folder/faults" ;;
        *) echo "\`$title\` never calls $target. If its call path now ends with another function, change the name in Scripts/roads.sh." >>"$folder/faults" ;;
    esac
    awk -v once="$once" -v title="$title" '
        { name = $0; sub(/^[0-9]+ [0-9]+ (static )?/, "", name); gsub(/<[^<>]*>/, "", name) }
        name ~ once { calls[name] += $2 }
        END { for (name in calls) if (calls[name] > 1) print "`" title "` calls " name " " calls[name] " times. Change the code to call it once per value." }
    ' "$folder/road" | sort >>"$folder/twice"
}

say "Recording call paths under callgrind"
: >"$folder/faults"
: >"$folder/twice"
follow objects &
follow keys || fail "Callgrind could not run the program, or it took longer than 15 minutes (see above)."
wait $! || fail "Callgrind could not run the program, or it took longer than 15 minutes (see above)."
keys="$folder/keys/out"
objects="$folder/objects/out"
write='LocalFile[.]write'
{
    road "$keys.1-01" "$write"
    road "$keys.2-01" "$write"
    road "$keys.3-01" 'IndexView[.]find'
    road "$keys.4-01" "$write"
    road "$keys.5-01" 'IndexView[.]find'
    road "$objects.1-01" 'PreparedStatement[.]run' "$objects"-*
    road "$objects.2-01" 'PreparedStatement[.]step'
    echo
} >"$folder/lists"

begin='<!-- Scripts/roads.sh generates the following lists -->'
end='<!-- end of the generated lists -->'
awk -v begin="$begin" -v end="$end" -v lists="$folder/lists" '
    $0 == end { isInside = 0 }
    !isInside { print }
    $0 == begin { isInside = 1; while ((getline line < lists) > 0) print line }' "$page" >"$folder/page"
if [ "${1-}" = write ]; then
    cp "$folder/page" "$page"
elif ! diff -u "$page" "$folder/page" >"$folder/difference"; then
    cat "$folder/difference" >&2
    echo "The call paths differ from the lists in Documentation/Architecture.md (+ was called, - was not). If this is intended, run \`make roads DO=write\` and review the changed lists." >>"$folder/faults"
fi
grep -vxF "$known" "$folder/twice" >>"$folder/faults" || :
[ -z "$known" ] || grep -qxF "$known" "$folder/twice" || echo "The violation in \`known\` in Scripts/roads.sh no longer occurs. Remove it there." >>"$folder/faults"
[ ! -s "$folder/faults" ] || fail "$(cat "$folder/faults")"
