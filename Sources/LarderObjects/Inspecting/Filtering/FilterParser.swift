#if Objects
internal import LarderCore

/// A parser of filters in the syntax of key paths, such as `total > 100 && customer.name == "Ada"`.
///
/// The parser keeps the operators on a stack of its own, so that deep nesting can't exhaust the thread's stack.
struct FilterParser {
    /// The maximum number of nested parentheses.
    static let deepest = 20
    /// The maximum number of names in a path.
    static let longestPath = 10

    /// An operator whose operands are not complete.
    private enum Pending {
        case and, or, not
        case parenthesis(Range<Int>)

        /// The precedence, or `nil` for a parenthesis.
        var precedence: Int? {
            switch self {
            case .or: 0
            case .and: 1
            case .not: 2
            case .parenthesis: nil
            }
        }
    }

    private var lexer: FilterLexer
    private var token: FilterToken
    private var operators: [Pending] = []
    private var operands: [FilterExpression] = []
    private var nesting = 0

    /// Parses a filter.
    ///
    /// - Parameter filter: The filter.
    /// - Returns: The expression, or `nil` if the filter is blank.
    /// - Throws: `InspectionQueryError` with the place of the mistake.
    static func parse(_ filter: String) throws -> FilterExpression? {
        var parser = try FilterParser(filter)
        if parser.token.kind == .end { return nil }
        return try parser.parse()
    }

    private init(_ filter: String) throws {
        lexer = try FilterLexer(filter)
        token = try lexer.next()
    }

    /// Returns the current token, and proceeds to the next one.
    @discardableResult
    private mutating func take() throws -> FilterToken {
        let taken = token
        token = try lexer.next()
        return taken
    }

    private mutating func take(_ symbol: FilterToken.Symbol) throws -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        try take()
        return true
    }

    private func error(_ message: String, at place: Range<Int>? = nil) -> InspectionQueryError {
        InspectionQueryError(message, at: place ?? token.place)
    }
}

// MARK: Conditions

extension FilterParser {
    private mutating func parse() throws -> FilterExpression {
        while true {
            try parseOperand()
            switch token.kind {
            case .symbol(.and): try push(.and)
            case .symbol(.or): try push(.or)
            case .end: return try finish()
            default: throw error(adviceAfterCondition)
            }
        }
    }

    /// Reads a condition with the operators and parentheses before it, and the closing parentheses after it.
    private mutating func parseOperand() throws {
        while true {
            if try take(.not) {
                operators.append(.not)
            } else if token.kind == .symbol(.openParenthesis) {
                nesting += 1
                guard nesting <= Self.deepest else {
                    throw error("The filter nests more than \(Self.deepest) parentheses. Write it with fewer.")
                }
                operators.append(.parenthesis(try take().place))
            } else {
                break
            }
        }
        operands.append(try comparison())
        while token.kind == .symbol(.closeParenthesis) {
            reduce(while: { $0.precedence != nil })
            guard case .parenthesis? = operators.popLast() else {
                throw error("No parenthesis is open here. Remove ), or type ( before it.")
            }
            nesting -= 1
            try take()
        }
    }

    private mutating func push(_ pending: Pending) throws {
        reduce(while: { ($0.precedence ?? -1) >= (pending.precedence ?? 0) })
        operators.append(pending)
        try take()
    }

    private mutating func finish() throws -> FilterExpression {
        reduce(while: { $0.precedence != nil })
        if case .parenthesis(let place)? = operators.last {
            throw error("A parenthesis is not closed. Type ) after the condition.", at: place)
        }
        guard let result = operands.popLast(), operands.isEmpty else {
            throw error("The filter is not complete. Type a condition, such as name == \"Ada\".")
        }
        return result
    }

    /// Applies the pending operators at the end of the stack for which `isDue` returns `true`.
    private mutating func reduce(while isDue: (Pending) -> Bool) {
        while let pending = operators.last, isDue(pending), let last = operands.popLast() {
            operators.removeLast()
            switch pending {
            case .not: operands.append(last.negated)
            case .and: operands.append(.all(operands.removeLast().conjuncts + last.conjuncts))
            case .or: operands.append(.any(operands.removeLast().disjuncts + last.disjuncts))
            case .parenthesis: break
            }
        }
    }

    /// The advice for a token that can't follow a condition.
    private var adviceAfterCondition: String {
        switch token.kind {
        case .name(let name):
            switch name.lowercased() {
            case "and": "A filter has no word \(name). Type && instead."
            case "or": "A filter has no word \(name). Type || instead."
            default: "Two conditions need an operator between them. Type && or || before \(name)."
            }
        case .quotedName(let name):
            "Two conditions need an operator between them. Type && or || before \(name)."
        case .symbol(.equal), .symbol(.unequal), .symbol(.less), .symbol(.lessOrEqual), .symbol(.greater),
            .symbol(.greaterOrEqual):
            "A comparison has two sides, which are not in parentheses. Join two comparisons by &&."
        case .symbol(let symbol):
            "A condition ends before \(symbol.rawValue). Type && or || and another condition, or remove it."
        case .string, .number, .date, .end:
            "Two conditions need an operator between them. Type && or ||, and then a comparison such as name == \"Ada\"."
        }
    }
}

extension FilterExpression {
    /// The negation, in which a double negation is removed.
    fileprivate var negated: FilterExpression {
        if case .not(let expression) = self { expression } else { .not(self) }
    }

    fileprivate var conjuncts: [FilterExpression] {
        if case .all(let list) = self { list } else { [self] }
    }

    fileprivate var disjuncts: [FilterExpression] {
        if case .any(let list) = self { list } else { [self] }
    }
}

// MARK: Comparisons

extension FilterParser {
    private static let comparisons: [FilterToken.Symbol: FilterComparison] = [
        .equal: .equal, .unequal: .unequal, .less: .ordered(.less), .lessOrEqual: .ordered(.lessOrEqual),
        .greater: .ordered(.greater), .greaterOrEqual: .ordered(.greaterOrEqual),
    ]

    private mutating func comparison() throws -> FilterExpression {
        let first = try operand()
        if case .symbol(let symbol) = token.kind, let comparison = Self.comparisons[symbol] {
            try take()
            let second = try operand()
            let place = first.place.lowerBound..<second.place.upperBound
            return .comparison(first, comparison, second, place: place)
        }
        if token.kind == .name("in") {
            try take()
            guard case .path(let path) = first else {
                throw error(
                    "A value is not in a list. Type a property before in, such as number in [1, 2].",
                    at: first.place
                )
            }
            return .membership(path, try list())
        }
        switch first {
        case .path(let path): return .truth(path)
        case .literal(let literal):
            if case .boolean(let value) = literal.value { return .constant(value) }
            throw error("A value alone is no condition. Type a comparison, such as name == \"Ada\".", at: literal.place)
        }
    }

    private mutating func operand() throws -> FilterOperand {
        if let literal = try literal() { return .literal(literal) }
        if token.name != nil { return .path(try path()) }
        throw error(adviceForOperand)
    }

    /// The advice for a token where a property or a value must be.
    private var adviceForOperand: String {
        switch token.kind {
        case .end: "The filter is not complete. Type a property or a value, such as name == \"Ada\"."
        case .symbol(.openParenthesis): "Parentheses enclose conditions. Type the property or value without them."
        case .symbol(.openBracket): "A list follows the word in. Type for example number in [1, 2]."
        case .symbol(.closeParenthesis): "A condition is missing. Type one before ), such as name == \"Ada\"."
        case .symbol(let symbol): "A property or a value is missing. Type one before \(symbol.rawValue)."
        case .name, .quotedName, .string, .number, .date:
            "A property or a value is missing. Type for example name == \"Ada\"."
        }
    }

    /// Reads a value, or returns `nil` if the next token begins none.
    private mutating func literal() throws -> FilterLiteral? {
        let value: FilterLiteral.Value
        switch token.kind {
        case .string(let text): value = .string(text)
        case .number(let digits): value = .number(digits)
        case .date(let text): value = .date(text)
        case .name("true"): value = .boolean(true)
        case .name("false"): value = .boolean(false)
        case .name("nil"): value = .null
        case .symbol(.dot):
            let start = try take().place.lowerBound
            guard let name = token.name else {
                throw error("A name is missing after the point. Type for example .paid.")
            }
            let end = try take().place.upperBound
            return FilterLiteral(value: .enumerationCase(name), place: start..<end)
        case .name, .quotedName, .symbol, .end: return nil
        }
        return FilterLiteral(value: value, place: try take().place)
    }

    private mutating func path() throws -> FilterPath {
        var steps: [FilterPath.Step] = []
        let start = token.place.lowerBound
        while true {
            guard let name = token.name else {
                throw error("A property is missing after the point. Type for example customer.name.")
            }
            let step = FilterPath.Step(name: name, place: try take().place)
            if token.kind == .symbol(.openParenthesis) {
                let open = try take().place
                let (arguments, end) = try values(until: .closeParenthesis, open)
                let call = FilterPath.Call(function: step, arguments: arguments, place: step.place.lowerBound..<end)
                return FilterPath(steps: steps, call: call, place: start..<end)
            }
            steps.append(step)
            guard steps.count <= Self.longestPath else {
                throw error(
                    "A path has more than \(Self.longestPath) names. Shorten it.",
                    at: start..<step.place.upperBound
                )
            }
            guard try take(.dot) else { return FilterPath(steps: steps, place: start..<step.place.upperBound) }
        }
    }

    private mutating func list() throws -> [FilterLiteral] {
        guard token.kind == .symbol(.openBracket) else {
            throw error("A list in brackets follows the word in. Type for example in [1, 2].")
        }
        let open = try take().place
        return try values(until: .closeBracket, open).values
    }

    /// Reads values with commas between them, and the bracket or parenthesis after them.
    private mutating func values(
        until end: FilterToken.Symbol,
        _ open: Range<Int>
    ) throws -> (values: [FilterLiteral], end: Int) {
        var values: [FilterLiteral] = []
        while token.kind != .symbol(end) {
            guard let value = try literal() else {
                if token.kind == .end {
                    throw error("The values are not complete. Type \(end.rawValue) after the last one.", at: open)
                }
                throw error(
                    "A value is missing. Type a string in quotation marks, a number, a date, true, false or nil."
                )
            }
            values.append(value)
            if token.kind == .symbol(end) { break }
            guard try take(.comma) else {
                throw token.kind == .end
                    ? error("The values are not complete. Type \(end.rawValue) after the last one.", at: open)
                    : error("Values have a comma between them. Type , or \(end.rawValue).")
            }
        }
        return (values, try take().place.upperBound)
    }
}
#endif
