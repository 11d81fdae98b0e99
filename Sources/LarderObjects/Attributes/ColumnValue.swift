#if Objects
public import Foundation

/// What one column of one row holds: the stored form of every attribute.
@frozen public enum ColumnValue: Sendable {
    /// Nothing.
    case null
    /// An integer.
    case integer(Int64)
    /// A floating-point number that is not NaN, which SQLite can't hold.
    case real(Double)
    /// Text in Unicode's composed normal form.
    case text(String)
    /// Bytes.
    case blob(Data)

    @usableFromInline var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The integer, if it is one.
    var integerValue: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }
}

extension ColumnValue: Hashable {
    /// Whether both are stored as the same bytes.
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

    /// Hashes the stored bytes.
    ///
    /// - Parameter hasher: What to feed.
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
    /// Whether SQLite sorts `first` before `second`: nothing, then numbers, then text, then bytes.
    public static func < (first: ColumnValue, second: ColumnValue) -> Bool {
        switch (first, second) {
        case (.integer(let a), .integer(let b)): a < b
        case (.real(let a), .real(let b)): a < b
        case (.integer(let a), .real(let b)): Double(a) < b
        case (.real(let a), .integer(let b)): a < Double(b)
        // Composed text sorts by its UTF-8, which is what Swift's `<` compares.
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
