/// A decimal number parsed from a string, which can be converted to any numeric type.
///
/// The grammar is `[+|-] digits [. digits] [(e|E) [+|-] digits]`, ASCII only, with a digit on at least one side of the point. Larder parses
/// all numbers with this type, because Foundation's parser crashes on some strings.
struct DecimalText {
    private let isNegative: Bool
    private let integerDigits: ArraySlice<UInt8>
    private let fractionDigits: ArraySlice<UInt8>
    /// The decimal exponent, clamped to ±10⁹.
    ///
    /// Clamping does not change the value of any number that fits in memory.
    private let exponent: Int
    /// The ASCII bytes of the number, without surrounding white space.
    private let spelling: ArraySlice<UInt8>
    /// Whether the number is written without a decimal point or exponent.
    let isInteger: Bool

    /// Parses a string that consists of one number, optionally surrounded by ASCII white space.
    ///
    /// Returns `nil` if the string contains anything else.
    init?(_ text: String) {
        let trimmed = Self.trimmed(text)
        guard let number = DecimalText(prefixOf: trimmed), number.spelling.endIndex == trimmed.endIndex else {
            return nil
        }
        self = number
    }

    /// Parses the longest number at the beginning of a string, after any ASCII white space.
    ///
    /// Returns `nil` if the string does not begin with a number.
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

    /// Returns the bytes of `text` without leading and trailing ASCII white space.
    static func trimmed(_ text: String) -> ArraySlice<UInt8> {
        var bytes = Array(text.utf8)[...]
        while bytes.first?.isWhiteSpace == true { bytes.removeFirst() }
        while bytes.last?.isWhiteSpace == true { bytes.removeLast() }
        return bytes
    }
}

extension DecimalText {
    /// Returns the number truncated to an integer, or `nil` if the integer is out of range.
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
        // A large exponent appends zeros. The loop ends early, because a nonzero value soon overflows and zero stays zero.
        while value != 0, position < point {
            guard append(0, to: &value) else { return nil }
            position += 1
        }
        return Conversion(value, isLossy: losesFraction)
    }

    /// Returns the integer before the decimal point or exponent, clamped to the range of the type.
    func saturated<Integer: FixedWidthInteger>(to _: Integer.Type) -> Integer {
        var value: Integer = 0
        for digit in integerDigits where !append(digit & 0x0F, to: &value) { return isNegative ? .min : .max }
        return value
    }

    /// Appends a decimal digit to `value`, and returns whether the result is in the range of the type.
    private func append<Integer: FixedWidthInteger>(_ digit: UInt8, to value: inout Integer) -> Bool {
        let (shifted, overflows) = value.multipliedReportingOverflow(by: 10)
        let (sum, carries) =
            isNegative
            ? shifted.subtractingReportingOverflow(Integer(digit)) : shifted.addingReportingOverflow(Integer(digit))
        value = sum
        return !overflows && !carries
    }

    /// Returns the nearest value of a binary floating-point type, which is infinite if this number is out of range.
    ///
    /// Uses the standard library's parser, which correctly rounds all numbers in this grammar.
    func nearest<Number: LosslessStringConvertible>(to _: Number.Type) -> Number? {
        Number(String(decoding: spelling, as: UTF8.self))
    }

    /// Whether the integer part contains a nonzero digit.
    var hasNonzeroInteger: Bool { integerDigits.contains { $0 != UInt8(ascii: "0") } }
}

extension UInt8 {
    fileprivate var isDecimalDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    /// Whether this byte is a space, tab, line feed, vertical tab, form feed or carriage return.
    fileprivate var isWhiteSpace: Bool { self == 0x20 || 0x09...0x0D ~= self }
}
