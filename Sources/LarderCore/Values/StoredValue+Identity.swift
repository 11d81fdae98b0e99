#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension StoredValue: Hashable {
    /// Returns whether two values have the same canonical encoding.
    public static func == (left: StoredValue, right: StoredValue) -> Bool {
        switch (left, right) {
        case (.bool(let left), .bool(let right)): left == right
        case (.int(let left), .int(let right)): left == right
        case (.unsigned(let left), .unsigned(let right)): left == right
        case (.int(let signed), .unsigned(let unsigned)), (.unsigned(let unsigned), .int(let signed)):
            UInt64(exactly: signed) == unsigned
        case (.float(let left), .float(let right)): left.canonicalBits == right.canonicalBits
        case (.double(let left), .double(let right)): left.canonicalBits == right.canonicalBits
        case (.string(let left), .string(let right)), (.url(let left), .url(let right)): left.hasSameBytes(as: right)
        case (.date(let left), .date(let right)): left.canonicalBits == right.canonicalBits
        case (.data(let left), .data(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.dictionary(let left), .dictionary(let right)): left == right
        case (.null, .null): true
        default: false
        }
    }

    /// Hashes the value so that values with the same canonical encoding have the same hash.
    ///
    /// The hash differs between launches and is never stored.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch self {
        case .bool(let value): hasher.combine(value)
        case .int(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(Int64(bitPattern: value))
        case .float(let value): hasher.combine(value.canonicalBits)
        case .double(let value): hasher.combine(value.canonicalBits)
        case .string(let text), .url(let text): text.hashBytes(into: &hasher)
        case .date(let date): hasher.combine(date.canonicalBits)
        case .data(let data): hasher.combine(data)
        case .array(let elements): hasher.combine(elements)
        case .dictionary(let entries): hasher.combine(entries)
        case .null: break
        }
    }
}

extension Float {
    /// The bit pattern that is stored for this number.
    ///
    /// Every NaN is stored as the quiet NaN without a payload.
    package var canonicalBits: UInt32 { isNaN ? Float.nan.bitPattern : bitPattern }
}

extension Double {
    /// The bit pattern that is stored for this number.
    ///
    /// Every NaN is stored as the quiet NaN without a payload.
    package var canonicalBits: UInt64 { isNaN ? Double.nan.bitPattern : bitPattern }
}

extension Date {
    /// The bit pattern of the interval since the reference date, which is the stored form of this date.
    package var canonicalBits: UInt64 { timeIntervalSinceReferenceDate.canonicalBits }

    /// Whether the interval since the reference date is not a number.
    @usableFromInline package var isNaN: Bool { timeIntervalSinceReferenceDate.isNaN }
}

extension StoredValue {
    /// The canonical form of this value, which is the form that stores hold.
    ///
    /// Integers that fit in 64 signed bits are `.int`, and every NaN has the same bit pattern.
    package var canonical: StoredValue {
        // Most values are already canonical and need no copy, so this is checked first.
        isCanonical(within: Self.maximumDepth) ? self : inOneForm
    }

    /// Returns whether the value and its elements, down to `depth` levels of nesting, are in canonical form.
    private func isCanonical(within depth: Int) -> Bool {
        switch self {
        case .unsigned(let number): number > UInt64(Int64.max)
        case .float(let number): number.bitPattern == number.canonicalBits
        case .double(let number): number.bitPattern == number.canonicalBits
        case .date(let date): date.timeIntervalSinceReferenceDate.bitPattern == date.canonicalBits
        case .array(let elements): depth == 0 || elements.allSatisfy { $0.isCanonical(within: depth - 1) }
        case .dictionary(let entries): depth == 0 || entries.allSatisfy { $0.value.isCanonical(within: depth - 1) }
        default: true
        }
    }

    private var inOneForm: StoredValue {
        switch self {
        case .unsigned(let number): Int64(exactly: number).map { .int($0) } ?? self
        case .float(let number): .float(Float(bitPattern: number.canonicalBits))
        case .double(let number): .double(Double(bitPattern: number.canonicalBits))
        case .date(let date): .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: date.canonicalBits)))
        case .array(let elements): .array(elements.map(\.canonical))
        case .dictionary(let entries):
            .dictionary(StoredDictionary(entries.lazy.map { ($0.key, $0.value.canonical) }))
        default: self
        }
    }
}
