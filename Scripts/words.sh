#!/bin/sh
# Reports words of Scripts/words.txt in comments, messages and pages, and checks the subjects of commits since the commit below.
. "$(dirname -- "$0")/settings.sh"
since=05b501735af88c5a6729a5f864b833a200d2952f

allowed=$(mktemp)
findings=$(mktemp)
trap 'rm -f "$allowed" "$findings"' EXIT
grep '^word ' Scripts/exceptions.txt >"$allowed" || true

# Searches the comments and string literals of Swift files, and the text of pages without code and link targets.
git ls-files -z -- '*.swift' '*.md' ':!Tests/SeedTests' ':!*PageAsset+Content.swift' | xargs -0 awk '{ printf "%s\t%d\t%s\n", FILENAME, FNR, $0 }' | awk -F '\t' -v words=Scripts/words.txt -v exceptions="$allowed" '
    BEGIN {
        while ((getline entry < words) > 0) {
            if (entry ~ /^#/ || split(entry, parts, "\t") < 2) continue
            count++
            pattern[count] = parts[1]
            instead[count] = parts[2]
        }
        while ((getline entry < exceptions) > 0) {
            split(entry, parts, " ")
            exception[parts[2] ":" parts[3]] = 1
        }
    }
    {
        text = substr($0, length($1) + length($2) + 3)
        if ($1 ~ /\.swift$/) {
            if (match(text, /\/\//)) text = substr(text, RSTART + 2)
            else if (match(text, /".*"/)) text = substr(text, RSTART, RLENGTH)
            else next
        } else gsub(/`[^`]*`|\]\([^)]*\)/, "", text)
        text = tolower(text)
        for (i = 1; i <= count; i++) if (match(text, pattern[i])) {
            word = substr(text, RSTART, RLENGTH)
            gsub(/^[^a-z-]+|[^a-z]+$/, "", word)
            gsub(/ /, "-", word)
            place = $1 ":" word
            if (place in exception) { used[place] = 1; continue }
            printf "%s:%s: \"%s\"; write: %s\n", $1, $2, word, instead[i]
        }
    }
    END {
        for (one in exception) if (!(one in used))
            printf "Scripts/exceptions.txt: the exception of a word for %s is no longer needed\n", one
    }' >"$findings"

# A shallow clone may not contain that commit.
! git cat-file -e "$since^{commit}" 2>/dev/null || git log --format=%s "$since..HEAD" | awk '
    length > 72 { printf "commit: the subject has %d characters, more than 72: %s\n", length, $0 }
    /\.$/ || /^[a-z]/ { printf "commit: a subject begins with a capital and has no full stop: %s\n", $0 }' >>"$findings"

[ ! -s "$findings" ] || { cat "$findings" >&2; fail "Words or commit subjects break the rules (see above). If a word is correct here, add a line to Scripts/exceptions.txt: word PATH WORD REASON."; }
