#!/bin/sh
# Scripts/roads.sh [write | build]: which of Larder's functions a value passes on its way to the disk and back, by callgrind, in a debug
# build: the one that lint and test share optimizes part of the libraries, and what is inlined has no name. Compares that with the lists in
# Documentation/Architecture.md; `write` writes the lists anew, `build` only builds.
. "$(dirname -- "$0")/settings.sh"
"$root/Scripts/require.sh" valgrind
use_objects_build
scratch="$root/.build/objects"
say "Building the program that walks the roads"
# shellcheck disable=SC2086
LARDER_TESTS=none swift build $objects_build_flags --traits Objects --product ValueRoads </dev/null
[ "${1-}" != build ] || exit 0
page="$root/Documentation/Architecture.md"
# How many functions the put of a typed default passes at most before the one that writes.
most=15
# What may run once at most on any road: a key is hashed once, a value encoded, copied, summed and written once.
once='^(KeyHash[.]callAsFunction|StoredValue[.]encode[(]|StoredValue[.]copied|StoredValue[.]withOwnBytes|CRC32C[.]of|SystemCalls[.]write|PreparedStatement[.]run|RowPacker[.]finishRow)'
# What is known and still to be mended, a line that this script prints: nothing.
known=

folder=$(mktemp -d "${TMPDIR:-/tmp}/larder-roads.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

# follow WHAT: runs that part of the program. Functions are apart by their callers, or those with a common closure would be one.
follow() {
    mkdir "$folder/$1"
    LLVM_PROFILE_FILE="$folder/profile-%p" SWIFT_BACKTRACE=enable=no timeout 120 valgrind --tool=callgrind --instr-atstart=no --demangle=no \
        --separate-threads=yes --separate-callers=100 --dump-instr=yes --compress-pos=no --callgrind-out-file="$folder/$1/out" \
        "$scratch/debug/ValueRoads" "$folder/$1" "$1" >"$folder/$1/log" 2>&1 || { cat "$folder/$1/log"; return 1; }
}

# functions FILE: "DEPTH CALLS NAME" for each.
functions() {
    sed -e "s/^\\(c*fn=([0-9]*) [^']*\\)'.*/\\1/" "$1" | awk -f "$root/Scripts/roads.awk" | "$(toolchain_program swift-demangle)" -simplified -compact
}

# road FILE TARGET [OTHER FILE...]: the list of one road. Of other threads' files only what leads to the target.
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
        3) echo "\`$title\` passes more than $most functions before the write: remove one that only passes on." >>"$folder/faults" ;;
        *) echo "\`$title\` never comes to $target: name the function where that road ends now in Scripts/roads.sh." >>"$folder/faults" ;;
    esac
    awk -v once="$once" -v title="$title" '
        { name = $0; sub(/^[0-9]+ [0-9]+ (static )?/, "", name); gsub(/<[^<>]*>/, "", name) }
        name ~ once { calls[name] += $2 }
        END { for (name in calls) if (calls[name] > 1) print "`" title "` calls " name " " calls[name] " times: once is enough for one value." }
    ' "$folder/road" | sort >>"$folder/twice"
}

say "Following values under callgrind"
: >"$folder/faults"
: >"$folder/twice"
follow objects &
follow keys || fail "Callgrind could not run the program (see above)."
wait $! || fail "Callgrind could not run the program (see above)."
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

begin='<!-- Scripts/roads.sh write writes from here -->'
end='<!-- to here -->'
awk -v begin="$begin" -v end="$end" -v lists="$folder/lists" '
    $0 == end { isInside = 0 }
    !isInside { print }
    $0 == begin { isInside = 1; while ((getline line < lists) > 0) print line }' "$page" >"$folder/page"
if [ "${1-}" = write ]; then
    cp "$folder/page" "$page"
elif ! diff -u "$page" "$folder/page" >"$folder/difference"; then
    cat "$folder/difference" >&2
    echo "The functions that values pass are not those that Documentation/Architecture.md lists: + has run, - has not. Where that is meant, \`Scripts/roads.sh write\` writes the lists anew; look at what it changed." >>"$folder/faults"
fi
grep -vxF "$known" "$folder/twice" >>"$folder/faults" || :
[ -z "$known" ] || grep -qxF "$known" "$folder/twice" || echo "What Scripts/roads.sh knows as still to be mended is mended: take it out of \`known\`." >>"$folder/faults"
[ ! -s "$folder/faults" ] || fail "$(cat "$folder/faults")"
