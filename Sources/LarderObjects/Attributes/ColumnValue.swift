#if Objects
public import Foundation

/// The value of a column in one row of a SQLite table.
@frozen public enum ColumnValue: Sendable {
    /// The SQL value NULL.
    case null
    /// A signed 64-bit integer.
    case integer(Int64)
    /// A floating-point number. SQLite can't store NaN.
    case real(Double)
    /// A string in Unicode normalization form C (NFC).
    case text(String)
    /// A blob of bytes.
    case blob(Data)

    @usableFromInline var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The integer, or `nil` if the value is not an integer.
    var integerValue: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }
}

extension ColumnValue: Hashable {
    /// Returns whether two values have the same type and content.
    public static func == (first: ColumnValue, second: ColumnValue) -> Bool {
        switch (first, second) {
        case (.null, .null): true
        case (.integer(let a), .integer(let b)): a == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.text(let a), .text(let b)): a == b
        case (.blob(let a), .blob(let b)): a == b
        default: false
        }
    }

    /// Hashes the stored form of the value.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.bitPattern)
        case .text(let value): hasher.combine(value)
        case .blob(let value): hasher.combine(value)
        }
    }
}

extension ColumnValue: Comparable {
    /// Returns whether SQLite sorts `first` before `second`.
    ///
    /// NULL sorts before numbers, numbers before strings, and strings before blobs.
    public static func < (first: ColumnValue, second: ColumnValue) -> Bool {
        switch (first, second) {
        case (.integer(let a), .integer(let b)): a < b
        case (.real(let a), .real(let b)): a < b
        case (.integer(let a), .real(let b)): Double(a) < b
        case (.real(let a), .integer(let b)): a < Double(b)
        // Strings in NFC sort by their UTF-8 bytes, which is the order of Swift's `<`.
        case (.text(let a), .text(let b)): a < b
        case (.blob(let a), .blob(let b)): a.lexicographicallyPrecedes(b)
        default: first.rank < second.rank
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .real: 1
        case .text: 2
        case .blob: 3
        }
    }
}
#endif
