// Floating-point numbers are formatted as the shortest string that parses back to the same number: "3" instead of "3.0", exponents as in
// "1e+20", and "nan", "inf", "-inf" and "-0" for the special values.
extension Double {
    /// The shortest string that parses back to exactly this number.
    package var shortestText: String { isNaN ? "nan" : description.withoutZeroFraction }

    /// Parses "nan", "inf", "+inf" or "-inf", or returns `nil` for any other string.
    init?(named name: ArraySlice<UInt8>) {
        switch String(decoding: name, as: UTF8.self) {
        case "nan": self = .nan
        case "inf", "+inf": self = .infinity
        case "-inf": self = -.infinity
        default: return nil
        }
    }
}

extension Float {
    /// The shortest string that parses back to exactly this number as a `Float`.
    package var shortestText: String { isNaN ? "nan" : description.withoutZeroFraction }
}

extension String {
    fileprivate var withoutZeroFraction: String { hasSuffix(".0") ? String(dropLast(2)) : self }
}
