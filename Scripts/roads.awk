# Reads callgrind's output, in which functions are separated by caller, and prints a line "DEPTH CALLS SYMBOL" for each named function of
# Larder, after its caller, in the order of the calls in the code. Skips closures, thunks, initializers and property accessors, because
# without debug information the compiler's own can't be distinguished; their callees are attributed to their callers.
function id(text) { return substr(text, 2, index(text, ")") - 2) }
function symbol(text,   rest, end) {
    rest = substr(text, index(text, ")") + 2)
    end = index(rest, "'")
    return end > 0 ? substr(rest, 1, end - 1) : rest
}
function note(text,   number) {
    number = id(text)
    if (index(text, ") ") > 0) symbols[number] = symbol(text)
    return number
}
function isNamed(text) {
    return text ~ /^\$s(S.|s[0-9]+[A-Za-z]+V)?[0-9]+Larder/ && text ~ /(F|FZ|i[gsM])$/ && text !~ /\$deferL|__derived/
}
# This function is iterative, because some awks have a small stack.
function walk(number, depth,   top, i, j, count, kept, order) {
    stack[top = 1] = number
    level[1] = depth
    while (top > 0) {
        number = stack[top]
        depth = level[top--]
        # Callgrind separates callers only up to a certain depth, beyond which there may be cycles.
        if (number in done) continue
        done[number]
        if (isNamed(symbols[number])) print depth++, calls[number] + 0, symbols[number]
        count = children[number]
        for (i = 1; i <= count; i++) {
            for (j = i - 1; j >= 1 && at[number, order[j]] > at[number, i]; j--) order[j + 1] = order[j]
            order[j + 1] = i
        }
        for (i = count; i >= 1; i--) {
            stack[++top] = child[number, order[i]]
            level[top] = depth
        }
    }
}
/^fn=/ { caller = note(substr($0, 4)); seen[caller]; next }
/^cfn=/ { callee = note(substr($0, 5)); seen[callee]; next }
/^calls=/ {
    split(substr($0, 7), part, " ")
    calls[callee] += part[1]
    getline
    if (!((caller, callee) in known)) {
        known[caller, callee]
        isCalled[callee]
        child[caller, ++children[caller]] = callee
        at[caller, children[caller]] = $1
    }
}
END { for (number in seen) if (!(number in isCalled)) walk(number, 0) }
