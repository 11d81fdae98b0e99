import Foundation
import LarderCore

/// Converts stored values to other types according to Larder's conversion table, and returns the results as strings.
enum ValueConversion {
    /// Converts a value to the given type and returns the result as a string.
    ///
    /// - Returns: The string and whether the conversion was lossy, or `nil` if the value can't be converted.
    static func text(of value: StoredValue, as type: ValueType) -> Conversion<String>? {
        switch type {
        case .bool: text(of: value, as: Bool.self)
        case .int: text(of: value, as: Int64.self)
        case .uint: text(of: value, as: UInt64.self)
        case .float: text(of: value, as: Float.self)
        case .double: text(of: value, as: Double.self)
        case .string: text(of: value, as: String.self)
        case .url: text(of: value, as: URL.self)
        case .date: text(of: value, as: Date.self)
        case .data: text(of: value, as: Data.self)
        case .array: value.kind == .array ? Conversion(JSONWriter.plain(value)) : nil
        case .dictionary: value.kind == .dictionary ? Conversion(JSONWriter.plain(value)) : nil
        case .json: Conversion(JSONWriter.plain(value))
        }
    }

    private static func text<Value: StorableValue>(of value: StoredValue, as: Value.Type) -> Conversion<String>? {
        Value.converted(from: value, policy: .documented).map { conversion in
            Conversion(ValueText.text(conversion.value.storedValue), isLossy: conversion.isLossy)
        }
    }
}
