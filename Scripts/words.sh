#!/bin/sh
# The words of the project's English (Scripts/words.txt), in doc comments, messages and articles that are new, and the form of new
# commits' subjects. New is what came after the commit below; what is older is mended when it is touched.
. "$(dirname -- "$0")/settings.sh"
since=05b501735af88c5a6729a5f864b833a200d2952f

if ! git cat-file -e "$since^{commit}" 2>/dev/null; then
    say "This clone does not reach back to $since: words are not checked"
    exit 0
fi

allowed=$(mktemp)
findings=$(mktemp)
trap 'rm -f "$allowed" "$findings"' EXIT
grep '^word ' Scripts/exceptions.txt >"$allowed" || true

# Added lines as path, line number, text; then, of Swift, doc comments and what stands in quotes, and of articles all but code and the targets of links.
git diff --unified=0 --no-color --no-ext-diff "$since" -- Sources '*.md' ':!CHANGELOG.md' | awk '
    /^\+\+\+ / { path = substr($0, 7); next }
    /^@@ / { split($3, at, ","); line = substr(at[1], 2) - 1; next }
    /^\+/ { line++; printf "%s\t%d\t%s\n", path, line, substr($0, 2) }' | awk -F '\t' -v words=Scripts/words.txt -v exceptions="$allowed" '
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
            if (match(text, /\/\/\//)) text = substr(text, RSTART + 3)
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

git log --format=%s "$since..HEAD" | awk '
    length > 72 { printf "commit: the subject has %d characters, more than 72: %s\n", length, $0 }
    /\.$/ || /^[a-z]/ { printf "commit: a subject begins with a capital and has no full stop: %s\n", $0 }' >>"$findings"

[ ! -s "$findings" ] || { cat "$findings" >&2; fail "Other words, please (see above). A use that is right is a line in Scripts/exceptions.txt: word PATH WORD REASON."; }
