internal import LarderCore

/// The entry point of `make fuzz` for the filters of an inspection: a filter made of arbitrary bytes is parsed or refused at a place in it, and
/// the parsed expression, written as text, has the same meaning.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFilter(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    do {
        guard let expression = try FilterParser.parse(text) else { return 0 }
        let written = FilterText.of(expression)
        // Writing adds parentheses and escape sequences.
        guard written.unicodeScalars.count <= FilterLexer.longest else { return 0 }
        let again = try FilterParser.parse(written).map(FilterText.of)
        guard again == written else { fatalError("\(written) became \(again ?? "nothing").") }
    } catch let error as InspectionQueryError {
        let length = text.unicodeScalars.count
        guard let place = error.place, place.upperBound <= length else {
            fatalError("\(error) has no place in \(length).")
        }
        guard error.message.hasSuffix(".") else { fatalError("\(error) is not a sentence.") }
    } catch {
        fatalError("\(error)")
    }
    return 0
}

/// Writes parsed filters as text.
private enum FilterText {
    static func of(_ expression: FilterExpression) -> String {
        switch expression {
        case .constant(let value): String(value)
        case .all(let list): list.map(inner).joined(separator: " && ")
        // && binds more tightly than ||, so that no parentheses are added to those that were typed.
        case .any(let list): list.map(of).joined(separator: " || ")
        case .not(let negated): "!" + inner(negated)
        case .comparison(let first, let comparison, let second, _): "\(of(first)) \(of(comparison)) \(of(second))"
        case .membership(let path, let list): "\(of(path)) in [\(list.map(of).joined(separator: ", "))]"
        case .truth(let path): of(path)
        }
    }

    /// Returns an operand, in parentheses if it is a conjunction or a disjunction.
    private static func inner(_ expression: FilterExpression) -> String {
        switch expression {
        case .all, .any: "(\(of(expression)))"
        default: of(expression)
        }
    }

    private static func of(_ comparison: FilterComparison) -> String {
        switch comparison {
        case .equal: "=="
        case .unequal: "!="
        case .ordered(let order): order.rawValue
        }
    }

    private static func of(_ operand: FilterOperand) -> String {
        switch operand {
        case .path(let path): of(path)
        case .literal(let literal): of(literal)
        }
    }

    private static func of(_ path: FilterPath) -> String {
        let call = path.call.map { ["`\($0.function.name)`(\($0.arguments.map(of).joined(separator: ", ")))"] } ?? []
        return (path.steps.map { "`\($0.name)`" } + call).joined(separator: ".")
    }

    private static func of(_ literal: FilterLiteral) -> String {
        switch literal.value {
        case .null: "nil"
        case .boolean(let value): String(value)
        case .number(let digits): digits
        case .date(let text): text
        case .enumerationCase(let name): ".`\(name)`"
        case .string(let text):
            "\"" + text.unicodeScalars.map { "\\u{" + String($0.value, radix: 16) + "}" }.joined() + "\""
        }
    }
}
