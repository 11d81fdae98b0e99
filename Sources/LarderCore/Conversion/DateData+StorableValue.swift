#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Date: StorableValue {
    /// A stored value that represents this date exactly.
    public var storedValue: StoredValue { .date(self) }

    /// Returns the stored date regardless of the policy, or `nil` for any other kind of value.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Date>? {
        if case .date(let date) = stored { return Conversion(date) }
        return nil
    }
}

extension Data: StorableValue {
    /// A stored value that contains these bytes.
    public var storedValue: StoredValue { .data(self) }

    /// Returns the stored data regardless of the policy, or `nil` for any other kind of value.
    public static func converted(from stored: StoredValue, policy: ConversionPolicy) -> Conversion<Data>? {
        if case .data(let data) = stored { return Conversion(data) }
        return nil
    }
}
