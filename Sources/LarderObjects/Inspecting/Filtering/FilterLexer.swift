#if Objects
internal import LarderCore

/// A lexer that splits a filter into tokens, one at a time.
///
/// The lexer works on Unicode scalars, whose offsets are the places of errors.
struct FilterLexer {
    /// The maximum length of a filter in Unicode scalars.
    static let longest = 10_000

    private let text: [Unicode.Scalar]
    private var place = 0

    /// Creates a lexer.
    ///
    /// - Throws: `InspectionQueryError` if the filter is too long.
    init(_ filter: String) throws {
        // Counting a long string would take longer than refusing it.
        text = Array(filter.unicodeScalars.prefix(Self.longest + 1))
        guard text.count <= Self.longest else {
            throw InspectionQueryError(
                "The filter is too long. Shorten it to \(Self.longest) characters.",
                at: Self.longest..<text.count
            )
        }
    }

    /// Returns the next token, which is the end if there are no more.
    ///
    /// - Throws: `InspectionQueryError` if the next characters are not a token.
    mutating func next() throws -> FilterToken {
        skipSpace()
        let start = place
        guard let first = scalar() else { return FilterToken(kind: .end, place: start..<start) }
        switch first {
        case "\"", "'": return try string(first)
        case "`": return try quotedName()
        case "0"..."9": return number()
        case "-" where isDigit(scalar(1)): return number()
        case _ where Self.beginsName(first): return name()
        default: return try symbol()
        }
    }

    private func scalar(_ offset: Int = 0) -> Unicode.Scalar? {
        place + offset < text.count ? text[place + offset] : nil
    }

    private mutating func skipSpace() {
        while let next = scalar() {
            // In a predicate, $0 is the object. An optional is unwrapped by a path without further ado.
            if next == "$", scalar(1) == "0", scalar(2) == "." {
                place += 3
            } else if (next == "?" || next == "!") && scalar(1) == ".", place > 0, Self.endsName(text[place - 1]) {
                place += 1
            } else if next.properties.isWhitespace {
                place += 1
            } else {
                return
            }
        }
    }

    private func token(_ kind: FilterToken.Kind, from start: Int) -> FilterToken {
        FilterToken(kind: kind, place: start..<place)
    }

    private func error(_ message: String, at range: Range<Int>) -> InspectionQueryError {
        InspectionQueryError(message, at: range)
    }
}

// MARK: Names and symbols

extension FilterLexer {
    private static func beginsName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isXIDStart
    }

    private static func continuesName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isXIDContinue
    }

    private static func endsName(_ scalar: Unicode.Scalar) -> Bool { scalar == "`" || continuesName(scalar) }

    private mutating func name() -> FilterToken {
        let start = place
        while let next = scalar(), Self.continuesName(next) { place += 1 }
        return token(.name(String(String.UnicodeScalarView(text[start..<place]))), from: start)
    }

    /// Reads a name in backticks, which may contain any other character.
    private mutating func quotedName() throws -> FilterToken {
        let start = place
        place += 1
        while let next = scalar(), next != "`" { place += 1 }
        guard scalar() != nil, place > start + 1 else {
            throw error("A name in backticks is not complete. Type ` after the name.", at: start..<place)
        }
        place += 1
        return token(.quotedName(String(String.UnicodeScalarView(text[start + 1..<place - 1]))), from: start)
    }

    private mutating func symbol() throws -> FilterToken {
        let start = place
        let rest = text[start..<min(start + 2, text.count)]
        for symbol in FilterToken.Symbol.allCases where rest.starts(with: symbol.rawValue.unicodeScalars) {
            if symbol == .less, scalar(1) == ">" {
                throw error("A filter has no operator <>. Type != instead.", at: start..<start + 2)
            }
            place += symbol.rawValue.unicodeScalars.count
            return token(.symbol(symbol), from: start)
        }
        throw error(advice(for: text[start]), at: start..<start + 1)
    }

    private func advice(for scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "=": return "A comparison has two equals signs. Type == instead of =."
        case "&": return "A conjunction has two ampersands. Type && instead of &."
        case "|": return "A disjunction has two bars. Type || instead of |."
        case "\u{201C}", "\u{201D}", "\u{201E}", "\u{2018}", "\u{2019}":
            return "A string begins and ends with a straight quotation mark. Type \" instead of \(scalar)."
        case "{", "}":
            return "A filter has no closures. Type for example items.quantity > 2, which any item may satisfy."
        case "\\": return "A path begins with a name. Type for example total instead of \\.total."
        case "+", "-", "*", "/", "%": return "A filter can't calculate. Type the result instead."
        default:
            let isPrintable = scalar.properties.generalCategory.isPrintable
            let shown = isPrintable ? "\"\(scalar)\"" : "the invisible character U+" + Self.hexadecimal(scalar)
            return "A filter can't contain \(shown) here. Remove it, or type it inside a string in quotation marks."
        }
    }

    private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}

extension Unicode.GeneralCategory {
    /// Whether a message can show a character of this category.
    fileprivate var isPrintable: Bool {
        switch self {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
            .nonspacingMark, .enclosingMark:
            false
        default: true
        }
    }
}

// MARK: Values

extension FilterLexer {
    private func isDigit(_ scalar: Unicode.Scalar?) -> Bool { scalar.map { ("0"..."9").contains($0) } ?? false }

    private mutating func skipDigits() {
        while let next = scalar(), isDigit(next) || next == "_" { place += 1 }
    }

    private mutating func number() -> FilterToken {
        let start = place
        if isDate() { return date() }
        if scalar() == "-" { place += 1 }
        skipDigits()
        if scalar() == ".", isDigit(scalar(1)) {
            place += 1
            skipDigits()
        }
        if scalar() == "e" || scalar() == "E" {
            let sign = scalar(1) == "+" || scalar(1) == "-" ? 1 : 0
            if isDigit(scalar(1 + sign)) {
                place += 1 + sign
                skipDigits()
            }
        }
        var digits = String.UnicodeScalarView()
        digits.append(contentsOf: text[start..<place].lazy.filter { $0 != "_" })
        return token(.number(String(digits)), from: start)
    }

    /// Whether the next characters are a date such as 2026-01-31.
    private func isDate() -> Bool {
        let form: [Bool] = [true, true, true, true, false, true, true, false, true, true]
        for (offset, hasDigit) in form.enumerated() {
            guard hasDigit ? isDigit(scalar(offset)) : scalar(offset) == "-" else { return false }
        }
        return !isDigit(scalar(form.count))
    }

    private mutating func date() -> FilterToken {
        let start = place
        place += 10
        if scalar() == "T", isDigit(scalar(1)) {
            place += 1
            while let next = scalar(), isDigit(next) || next == ":" || next == "." || next == "+" || next == "-" {
                place += 1
            }
            if scalar() == "Z" { place += 1 }
        }
        return token(.date(String(String.UnicodeScalarView(text[start..<place]))), from: start)
    }

    private mutating func string(_ quote: Unicode.Scalar) throws -> FilterToken {
        let start = place
        var content = String.UnicodeScalarView()
        place += 1
        while let next = scalar() {
            if next == quote {
                place += 1
                return token(.string(String(content)), from: start)
            }
            if next == "\\" {
                content.append(try escaped())
            } else {
                content.append(next)
                place += 1
            }
        }
        throw error("A string is not complete. Type \(quote) after its last character.", at: start..<place)
    }

    /// Reads an escape sequence.
    private mutating func escaped() throws -> Unicode.Scalar {
        let start = place
        let simple: [Unicode.Scalar: Unicode.Scalar] = [
            "\"": "\"", "'": "'", "\\": "\\", "n": "\n", "r": "\r", "t": "\t", "0": "\0",
        ]
        if let escape = scalar(1), let meaning = simple[escape] {
            place += 2
            return meaning
        }
        if scalar(1) == "u", scalar(2) == "{" {
            place += 3
            var value: UInt32 = 0
            var count = 0
            while let digit = scalar().flatMap({ Character($0).hexDigitValue }), count < 8 {
                value = value << 4 | UInt32(digit)
                count += 1
                place += 1
            }
            if scalar() == "}", count > 0, let result = Unicode.Scalar(value) {
                place += 1
                return result
            }
        }
        let end = min(max(place, start + 2), text.count)
        throw error(
            "A backslash begins an escape sequence. Type \\\\ for a backslash, or \\u{e9} for é.",
            at: start..<end
        )
    }
}
#endif
