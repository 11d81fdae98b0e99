#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: StorableValue {
    /// The moment with all its bits.
    public var storedValue: StoredValue { .date(self) }

    /// Reads a date, and nothing else, whatever the policy.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Date>? {
        if case .date(let date) = stored { return Conversion(date) }
        return nil
    }
}

extension Data: StorableValue {
    /// The bytes.
    public var storedValue: StoredValue { .data(self) }

    /// Reads bytes, and nothing else, whatever the policy.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Data>? {
        if case .data(let data) = stored { return Conversion(data) }
        return nil
    }
}
