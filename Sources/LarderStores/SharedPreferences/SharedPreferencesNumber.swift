/// A namespace for functions that format and parse numbers like Java's `toString` and `parse` methods.
enum SharedPreferencesNumber {
    static func text(of number: Float) -> String {
        let subnormal = (Double(number.magnitude.bitPattern) * 1.401298464324817, -45)
        return text(of: number, subnormal: number.isSubnormal ? subnormal : nil)
    }

    static func text(of number: Double) -> String {
        let subnormal = (Double(number.magnitude.bitPattern) * 4.9406564584124654, -324)
        return text(of: number, subnormal: number.isSubnormal ? subnormal : nil)
    }

    /// Formats a number like Java's `toString`.
    ///
    /// For a subnormal number, `subnormal` is the magnitude as a significand and a power of ten.
    private static func text<Number: BinaryFloatingPoint & CustomStringConvertible>(
        of number: Number,
        subnormal: (Double, Int)?
    ) -> String {
        if number.isNaN { return "NaN" }
        let sign = number.sign == .minus ? "-" : ""
        if number.isInfinite { return sign + "Infinity" }
        if number.isZero { return sign + "0.0" }
        var (digits, exponent) = shortest(number.magnitude.description)
        if digits.utf8.count == 1, let subnormal { (digits, exponent) = twoDigits(of: subnormal) ?? (digits, exponent) }
        if (-3..<7).contains(exponent) { return sign + plain(digits, exponent) }
        return sign + "\(digits.prefix(1)).\(digits.utf8.count > 1 ? String(digits.dropFirst()) : "0")E\(exponent)"
    }

    /// Parses a number and returns its digits without leading and trailing zeros, and the power of ten of the first digit.
    private static func shortest(_ text: String) -> (digits: String, exponent: Int) {
        let parts = text.split(separator: "e", maxSplits: 1)
        let mantissa = (parts.first ?? "0").split(separator: ".", maxSplits: 1)
        let whole = mantissa.first ?? "0"
        let all = whole + (mantissa.count > 1 ? mantissa[1] : "")
        let leading = all.prefix { $0 == "0" }.count
        var digits = all.dropFirst(leading)
        while digits.count > 1, digits.last == "0" { digits.removeLast() }
        let power = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        return (String(digits), power + whole.count - 1 - leading)
    }

    private static func plain(_ digits: String, _ exponent: Int) -> String {
        if exponent < 0 { return "0." + String(repeating: "0", count: -exponent - 1) + digits }
        let count = digits.utf8.count
        let whole = digits.prefix(exponent + 1) + String(repeating: "0", count: max(0, exponent + 1 - count))
        let fraction = digits.dropFirst(exponent + 1)
        return whole + "." + (fraction.isEmpty ? "0" : fraction)
    }

    /// Rounds `number` to two significant digits, or returns `nil` if the second of these digits is zero.
    private static func twoDigits(of number: (Double, Int)) -> (digits: String, exponent: Int)? {
        var (value, exponent) = number
        while value >= 10 {
            value /= 10
            exponent += 1
        }
        let rounded = Int((value * 10).rounded())
        return rounded % 10 == 0 ? nil : (String(rounded), exponent)
    }

    // MARK: - Reading

    static func float(_ text: String) -> Float? { literal(text).flatMap { Float($0) } }
    static func double(_ text: String) -> Double? { literal(text).flatMap { Double($0) } }

    /// Converts a number from Java's syntax to Swift's, or returns `nil` if the string is not a number.
    private static func literal(_ text: String) -> String? {
        var bytes = Array(text.utf8)
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        bytes = Array(bytes.drop { $0 <= 0x20 })
        var sign = ""
        if let first = bytes.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") {
            sign = first == UInt8(ascii: "-") ? "-" : ""
            bytes.removeFirst()
        }
        switch String(decoding: bytes, as: UTF8.self) {
        case "NaN": return "nan"
        case "Infinity": return sign + "inf"
        default: break
        }
        if let last = bytes.last, "fFdD".utf8.contains(last) { bytes.removeLast() }
        return isDecimal(bytes) ? sign + String(decoding: bytes, as: UTF8.self) : nil
    }

    private static func isDecimal(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        func digits() -> Int {
            let count = rest.prefix { (0x30...0x39).contains($0) }.count
            rest = rest.dropFirst(count)
            return count
        }
        var count = digits()
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            count += digits()
        }
        guard count > 0 else { return false }
        if let first = rest.first, first == UInt8(ascii: "e") || first == UInt8(ascii: "E") {
            rest.removeFirst()
            if let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { rest.removeFirst() }
            guard digits() > 0 else { return false }
        }
        return rest.isEmpty
    }
}
