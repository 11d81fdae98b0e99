// How Larder prints numbers with a fraction: the shortest text that reads back to the same number, "3" rather than "3.0",
// exponents as "1e+20", and "nan", "inf", "-inf", "-0".
extension Double {
    /// The shortest text that reads back to this number.
    package var shortestText: String { isNaN ? "nan" : description.withoutZeroFraction }

    /// Reads the three numbers that have no digits, spelled as ``shortestText`` spells them, a plus sign allowed.
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
    /// The shortest text that reads back to this number as a `Float`.
    package var shortestText: String { isNaN ? "nan" : description.withoutZeroFraction }
}

extension String {
    fileprivate var withoutZeroFraction: String { hasSuffix(".0") ? String(dropLast(2)) : self }
}
