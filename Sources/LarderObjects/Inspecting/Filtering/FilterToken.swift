#if Objects
/// A token of a filter that a person typed.
struct FilterToken: Hashable {
    enum Kind: Hashable {
        case name(String)
        /// A name that was typed in backticks, so that it is never a word such as `in` or `nil`.
        case quotedName(String)
        case string(String)
        /// A number in the form in which it was typed, without underscores.
        case number(String)
        /// A date, with or without a time, in the form in which it was typed.
        case date(String)
        case symbol(Symbol)
        case end
    }

    enum Symbol: String, Hashable, CaseIterable {
        case and = "&&"
        case or = "||"
        case equal = "=="
        case unequal = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case less = "<"
        case greater = ">"
        case not = "!"
        case dot = "."
        case comma = ","
        case openParenthesis = "("
        case closeParenthesis = ")"
        case openBracket = "["
        case closeBracket = "]"
    }

    let kind: Kind
    /// The offsets of the token in the filter, in Unicode scalars.
    let place: Range<Int>

    /// The name of a property, a function or an enumeration case, or `nil` for another token.
    var name: String? {
        switch kind {
        case .name(let name), .quotedName(let name): name
        case .string, .number, .date, .symbol, .end: nil
        }
    }
}
#endif
