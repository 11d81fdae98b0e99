#if Objects
/// A filter in the form in which it was typed, with names that have not been looked up.
///
/// Chains of `&&` and `||` are lists, so only parentheses nest expressions.
indirect enum FilterExpression: Hashable {
    case constant(Bool)
    case all([FilterExpression])
    case any([FilterExpression])
    case not(FilterExpression)
    case comparison(FilterOperand, FilterComparison, FilterOperand, place: Range<Int>)
    case membership(FilterPath, [FilterLiteral])
    /// A path to a Boolean, or a call such as `name.contains("x")`.
    case truth(FilterPath)
}

/// A comparison operator.
enum FilterComparison: Hashable {
    case equal, unequal
    case ordered(Order)

    enum Order: String, Hashable, CaseIterable {
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
    }

    /// The operator with its operands exchanged, such as `>` for `<`.
    var exchanged: FilterComparison {
        switch self {
        case .equal, .unequal: self
        case .ordered(.less): .ordered(.greater)
        case .ordered(.lessOrEqual): .ordered(.greaterOrEqual)
        case .ordered(.greater): .ordered(.less)
        case .ordered(.greaterOrEqual): .ordered(.lessOrEqual)
        }
    }
}

enum FilterOperand: Hashable {
    case path(FilterPath)
    case literal(FilterLiteral)

    var place: Range<Int> {
        switch self {
        case .path(let path): path.place
        case .literal(let literal): literal.place
        }
    }
}

/// A key path such as `customer.name`, possibly followed by a call such as `.contains("x")`.
struct FilterPath: Hashable {
    struct Step: Hashable {
        let name: String
        let place: Range<Int>
    }

    struct Call: Hashable {
        let function: Step
        let arguments: [FilterLiteral]
        /// The offsets of the call with its arguments.
        let place: Range<Int>
    }

    /// The names, of which there is at least one unless there is only a call.
    var steps: [Step]
    var call: Call?
    /// The offsets of the path with its call.
    var place: Range<Int>
}

/// A value that was typed in a filter.
struct FilterLiteral: Hashable {
    enum Value: Hashable {
        case null
        case boolean(Bool)
        case string(String)
        case number(String)
        case date(String)
        /// An enumeration case such as `.paid`.
        case enumerationCase(String)
    }

    let value: Value
    let place: Range<Int>
}
#endif
