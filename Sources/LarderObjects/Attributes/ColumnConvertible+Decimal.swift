#if Objects
public import Foundation

/// Stores decimal numbers as strings that sort in numeric order.
///
/// Equal numbers have the same string. For example, 1.50 is stored as `250115`, and -1.50 as `049884~`. Documentation/Formats/objects-v3.md
/// specifies the format.
extension Decimal: ColumnConvertible {
    /// The column format for sortable decimal strings.
    public static var columnFormat: AttributeFormat { AttributeFormat("decimal", columnType: "TEXT") }
    /// Zero, the initial value of a property that has no default.
    public static var placeholder: Decimal { 0 }

    /// The number as a string that sorts in numeric order, or NULL if the number is NaN.
    ///
    /// Saving NaN throws an error.
    public var columnValue: ColumnValue {
        if isNaN { return .null }
        if isZero { return .text("1") }
        // In every locale the description consists of an optional sign, digits and at most one point.
        var digits: [UInt8] = []
        var exponent = 0
        var hasPoint = false
        for byte in description.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                if digits.isEmpty, byte == UInt8(ascii: "0") {
                    if hasPoint { exponent -= 1 }
                } else {
                    digits.append(byte)
                    if !hasPoint { exponent += 1 }
                }
            case UInt8(ascii: "."): hasPoint = true
            default: break
            }
        }
        while digits.last == UInt8(ascii: "0") { digits.removeLast() }
        let biased = String(exponent + 500)
        let body =
            Array(String(repeating: "0", count: max(0, 3 - biased.utf8.count)).utf8) + Array(biased.utf8) + digits
        if self > 0 { return .text("2" + String(decoding: body, as: UTF8.self)) }
        let nines = body.map { UInt8(ascii: "9") - $0 + UInt8(ascii: "0") }
        return .text("0" + String(decoding: nines, as: UTF8.self) + "~")
    }

    /// Creates a decimal number from a column value.
    ///
    /// - Parameter column: The value of the column.
    /// - Returns: The number, or `nil` if the column value is not a sortable string.
    public static func fromColumn(_ column: ColumnValue) -> Decimal? {
        guard case .text(let text) = column, let kind = text.utf8.first else { return nil }
        var body = Array(text.utf8.dropFirst())
        switch kind {
        case UInt8(ascii: "1"): return body.isEmpty ? 0 : nil
        case UInt8(ascii: "2"): break
        case UInt8(ascii: "0"):
            guard body.popLast() == UInt8(ascii: "~") else { return nil }
            body = body.map { UInt8(ascii: "9") &- $0 &+ UInt8(ascii: "0") }
        default: return nil
        }
        let isNumeral = body.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard isNumeral, body.count > 3, body.count < 45,
            let biased = Int(String(decoding: body.prefix(3), as: UTF8.self))
        else { return nil }
        let digits = String(decoding: body.dropFirst(3), as: UTF8.self)
        let sign = kind == UInt8(ascii: "0") ? "-" : ""
        return Decimal(
            string: "\(sign)\(digits)e\(biased - 500 - digits.utf8.count)",
            locale: Locale(identifier: "en_US_POSIX")
        )
    }
}
#endif
