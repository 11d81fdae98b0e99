#!/bin/sh
# Draws 40 doc comments, 20 messages and 10 test names at random, for a reader who rates them, and prints the reader's prompt:
# Scripts/draw.sh [SEED]
#
# The default seed is the hash of the commit, so that the sample can't be chosen. For another sample, append a number: Scripts/draw.sh
# HASH-2.
. "$(dirname -- "$0")/settings.sh"
seed=${1:-$(git rev-parse HEAD)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# draw COUNT FILE: prints random lines of the file, chosen by a Park-Miller generator with the given seed.
draw() {
    awk -v seed="$seed" '
        BEGIN {
            for (i = 1; i <= length(seed); i++) state = (state * 131 + index("0123456789abcdef-", substr(seed, i, 1)) + 1) % 2147483647
        }
        { state = state * 16807 % 2147483647; printf "%.0f\t%s\n", state, $0 }' "$2" |
        sort -n | head -n "$1" | cut -f 2- | awk '{ gsub(/\\n/, "\n"); print }'
}

# Each line is a doc comment with the declaration below it.
git ls-files -z -- 'Sources/*.swift' ':!*PageAsset+Content.swift' | xargs -0 awk '
    /^[ \t]*\/\/\// { sub(/^[ \t]*\/\/\/ ?/, ""); comment = comment "\\n    " $0; next }
    comment != "" && /^[ \t]*(@|#)/ && !/(func|var|let|init|case|struct|class|enum|protocol|subscript) / { next }
    comment != "" { sub(/^[ \t]*/, ""); print FILENAME ": " $0 comment; comment = "" }' >"$folder/comments"
# Each line is a string literal that contains a sentence, with the literals that "+" appends.
git ls-files -z -- 'Sources/*.swift' ':!*PageAsset+Content.swift' | xargs -0 awk '
    /^[ \t]*\/\// { next }
    match($0, /".*"/) {
        text = substr($0, RSTART + 1, RLENGTH - 2)
        if ($0 ~ /^[ \t]*\+ "/) { if (message != "") message = message text; next }
        if (message != "") print message
        message = text ~ /^[A-Z\\].* .*[.: ]$/ ? FILENAME ": " text : ""
    }
    END { if (message != "") print message }' | grep -E '\.$' >"$folder/messages"
git ls-files -z -- 'Tests/*.swift' | xargs -0 awk '
    /@Test/ { isTest = 1 }
    isTest && match($0, /func [A-Za-z0-9_]+/) { print FILENAME ": " substr($0, RSTART + 5, RLENGTH - 5); isTest = 0 }' >"$folder/tests"

# The same prompt for every reader, so that readings can be compared.
cat <<'END'
You are an experienced engineer who knows databases and Swift, and has not seen this project: Larder, a local-persistence kit for Swift with
a key-value device store, typed settings, data sources and repositories, and object storage on SQLite. Below are 40 doc comments (the file, the
first line of the declaration, then the comment), 20 messages (\(...) is interpolation) and 10 test names, drawn at random. Judge each item
alone, as it stands; don't open the project. Rate each item as one of:
- idiomatic: reads like the documentation, messages or test names of well-known libraries (GRDB, swift-collections, SQLite, LevelDB)
- stilted: understandable, but the wording is unnatural or roundabout, or the field uses other words
- unclear: you can't tell what is meant without reading the code, or it says nothing
Answer with the counts of each part, then with every item that is not idiomatic: its file, the words that disturb you, and a better wording.

END
say "Seed $seed"
for part in "comments 40" "messages 20" "tests 10"; do
    name=${part% *}
    say "${part#* } of $(wc -l <"$folder/$name") $name"
    draw "${part#* }" "$folder/$name"
done
