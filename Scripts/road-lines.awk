# Reads the lines "DEPTH CALLS NAME" of Scripts/roads.awk, and prints the call path to the function that matches `target` as a numbered
# list. Below each function on the path, prints the other functions that it calls. Each function is listed once. Exits with 3 if the path is
# longer than `most`, or with 4 if no function matches `target`.
function short(text) {
    gsub(/<[^<>]*>/, "", text)
    gsub(/^static | infix/, "", text)
    return text
}
function flush() {
    if (beside != "") print "     " beside
    beside = ""
}
function add(text) {
    if (text in said) return
    said[text]
    if (beside != "" && length(beside) + length(text) > 130) { print "     " beside ","; beside = text; return }
    beside = beside == "" ? text : beside ", " text
}
{
    depth[NR] = $1
    $1 = $2 = ""
    name[NR] = short(substr($0, 3))
    if (target != "" && !reached && name[NR] ~ target) reached = NR
}
END {
    level = depth[reached]
    isOnWay[reached]
    for (i = reached - 1; i >= 1; i--) if (depth[i] < level) { isOnWay[i]; level = depth[i] }
    for (i = 1; i <= NR; i++) {
        if (i in isOnWay) { flush(); said[name[i]]; printf "%3d. %s\n", ++count, name[i] }
        else if (i < reached) add(name[i])
        else { if (!isAfter) { flush(); isAfter = 1; print "   then" } add(name[i]) }
    }
    flush()
    if (!reached) exit 4
    # The last function is the write.
    if (most && count - 1 > most) exit 3
}
