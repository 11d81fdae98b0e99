#!/bin/sh
# Checks the spelling of comments and pages, American English, with aspell and the words of Scripts/dictionary.txt. Names with capitals
# inside, abbreviations in capitals and code in backticks are skipped.
. "$(dirname -- "$0")/settings.sh"
"$root/Scripts/require.sh" aspell
prose=$(mktemp)
unknown=$(mktemp)
trap 'rm -f "$prose" "$unknown"' EXIT

# Each line of the prose, as path, line number and text.
git ls-files -z -- '*.swift' '*.md' '*.sh' ':!Tests/SeedTests' ':!*PageAsset+Content.swift' | xargs -0 awk '
    FNR == 1 { isCode = 0 }
    FILENAME ~ /\.md$/ {
        if (/^ *```/) { isCode = !isCode; next }
        if (isCode || /^    / && !/^ *[-*0-9]/) next
    }
    FILENAME ~ /\.swift$/ { if (!match($0, /(^|[ \t])\/\//)) next; $0 = substr($0, RSTART + RLENGTH) }
    FILENAME ~ /\.sh$/ { if (!/^[ \t]*# /) next }
    {
        text = $0
        gsub(/`[^`]*`|\]\([^)]*\)|<[^>]*>|https?:[^ )]*/, " ", text)
        gsub(/[^A-Za-z'"'"' ]+[A-Za-z]*[0-9_][A-Za-z0-9_]*/, " ", text)
        gsub(/[^A-Za-z'"'"']+/, " ", text)
        printf "%s\t%d\t%s\n", FILENAME, FNR, text
    }' >"$prose"

cut -f 3 "$prose" | tr -s ' ' '\n' | grep -E "^[A-Za-z]?[a-z']+$" | sed "s/^'*//; s/'s$//; s/'*$//" | sort -u |
    aspell list --lang=en_US --encoding=utf-8 --personal="$root/Scripts/dictionary.txt" | sort -u >"$unknown"
[ ! -s "$unknown" ] || {
    awk -F '\t' -v unknown="$unknown" '
        BEGIN { while ((getline word < unknown) > 0) isUnknown[word] = 1 }
        {
            count = split($3, words, " ")
            for (i = 1; i <= count; i++) {
                word = words[i]
                gsub(/^'"'"'+|('"'"'s)?'"'"'*$/, "", word)
                if (word in isUnknown) printf "%s:%s: \"%s\"\n", $1, $2, word
            }
        }' "$prose" >&2
    fail "Misspelled, or missing in Scripts/dictionary.txt (see above)."
}
