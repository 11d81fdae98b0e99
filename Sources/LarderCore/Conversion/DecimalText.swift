/// A decimal number as a text spells it, before it becomes a number of some type.
///
/// The grammar is `[+|-] digits [. digits] [(e|E) [+|-] digits]`, ASCII only, with a digit on at least one side of the point.
/// Larder reads numbers with this and nothing else: Foundation's own text-to-number code ends the process on some texts.
struct DecimalText {
    private let isNegative: Bool
    private let integerDigits: ArraySlice<UInt8>
    private let fractionDigits: ArraySlice<UInt8>
    /// Kept within ±10⁹, which no text that fits in memory can tell from the truth.
    private let exponent: Int
    /// Sign to exponent, as it stands in the text.
    private let spelling: ArraySlice<UInt8>
    /// Whether there is neither a point nor an exponent.
    let isInteger: Bool

    /// The number that all of `text` spells, ASCII white space around it aside; `nil` for anything else.
    init?(_ text: String) {
        let trimmed = Self.trimmed(text)
        guard let number = DecimalText(prefixOf: trimmed), number.spelling.endIndex == trimmed.endIndex else {
            return nil
        }
        self = number
    }

    /// The longest number that `text` begins with after ASCII white space; `nil` when there is none.
    init?(beginning text: String) { self.init(prefixOf: Self.trimmed(text)) }

    private init?(prefixOf bytes: ArraySlice<UInt8>) {
        var rest = bytes
        isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        integerDigits = rest.prefix(while: \.isDecimalDigit)
        rest = rest.dropFirst(integerDigits.count)
        let hasPoint = rest.first == UInt8(ascii: ".")
        if hasPoint { rest.removeFirst() }
        fractionDigits = hasPoint ? rest.prefix(while: \.isDecimalDigit) : []
        rest = rest.dropFirst(fractionDigits.count)
        guard !integerDigits.isEmpty || !fractionDigits.isEmpty else { return nil }

        let written = Self.exponent(at: rest)
        exponent = written?.value ?? 0
        if let written { rest = written.rest }
        isInteger = !hasPoint && written == nil
        spelling = bytes[bytes.startIndex..<rest.startIndex]
    }

    private static func exponent(at bytes: ArraySlice<UInt8>) -> (value: Int, rest: ArraySlice<UInt8>)? {
        guard let letter = bytes.first, letter | 0x20 == UInt8(ascii: "e") else { return nil }
        var rest = bytes.dropFirst()
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative || rest.first == UInt8(ascii: "+") { rest.removeFirst() }
        let digits = rest.prefix(while: \.isDecimalDigit)
        guard !digits.isEmpty else { return nil }
        var value = 0
        for digit in digits { value = min(value * 10 + Int(digit & 0x0F), 1_000_000_000) }
        return (isNegative ? -value : value, rest.dropFirst(digits.count))
    }

    /// The bytes of `text` without the ASCII white space around them.
    static func trimmed(_ text: String) -> ArraySlice<UInt8> {
        var bytes = Array(text.utf8)[...]
        while bytes.first?.isWhiteSpace == true { bytes.removeFirst() }
        while bytes.last?.isWhiteSpace == true { bytes.removeLast() }
        return bytes
    }
}

extension DecimalText {
    /// The number without its fraction, or `nil` when it is out of range.
    func truncated<Integer: FixedWidthInteger>(to _: Integer.Type) -> Conversion<Integer>? {
        let point = integerDigits.count + exponent
        var value: Integer = 0
        var losesFraction = false
        var position = 0
        for digits in [integerDigits, fractionDigits] {
            for digit in digits {
                if position < point {
                    guard append(digit & 0x0F, to: &value) else { return nil }
                } else if digit != UInt8(ascii: "0") {
                    losesFraction = true
                }
                position += 1
            }
        }
        // An exponent beyond the digits appends zeros: few before any type overflows, and none matter to zero.
        while value != 0, position < point {
            guard append(0, to: &value) else { return nil }
            position += 1
        }
        return Conversion(value, isLossy: losesFraction)
    }

    /// The digits before any point or exponent, held within the type's range.
    func saturated<Integer: FixedWidthInteger>(to _: Integer.Type) -> Integer {
        var value: Integer = 0
        for digit in integerDigits where !append(digit & 0x0F, to: &value) { return isNegative ? .min : .max }
        return value
    }

    /// Whether `digit` could be appended to `value` within the type's range.
    private func append<Integer: FixedWidthInteger>(_ digit: UInt8, to value: inout Integer) -> Bool {
        let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
        let (sum, carries) =
            isNegative
            ? shifted.subtractingReportingOverflow(Integer(digit)) : shifted.addingReportingOverflow(Integer(digit))
        value = sum
        return !overflows && !carries
    }

    /// The nearest number of a binary floating-point type, infinite when it is out of range.
    ///
    /// The standard library rounds correctly once it is given nothing but this grammar.
    func nearest<Number: LosslessStringConvertible>(to _: Number.Type) -> Number? {
        Number(String(decoding: spelling, as: UTF8.self))
    }

    /// Whether the digits before any point or exponent have one that is not zero.
    var hasNonzeroInteger: Bool { integerDigits.contains { $0 != UInt8(ascii: "0") } }
}

extension UInt8 {
    fileprivate var isDecimalDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    /// Space, tab, line feed, vertical tab, form feed, carriage return.
    fileprivate var isWhiteSpace: Bool { self == 0x20 || 0x09...0x0D ~= self }
}
