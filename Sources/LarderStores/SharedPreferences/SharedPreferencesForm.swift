import LarderCore

/// A namespace for functions that convert values to the types that Android's shared preferences support.
enum SharedPreferencesForm {
    /// Throws `StoreError` with code `unsupportedValue` if Android's shared preferences can't hold `value`.
    static func check(_ value: StoredValue, under key: StoreKey) throws {
        switch value {
        case .bool, .int, .float, .double, .string: return
        case .unsigned(let number) where number <= UInt64(Int64.max): return
        default: _ = try members(of: value, under: key)
        }
    }

    /// Returns the members of a string set, sorted by their bytes.
    ///
    /// Throws `StoreError` with code `unsupportedValue` if `value` is not an array of distinct strings.
    static func members(of value: StoredValue, under key: StoreKey) throws -> [String] {
        func refusal(_ reason: String) -> StoreError {
            StoreError(
                .unsupportedValue,
                "The value for \(key) can't be stored in Android's shared preferences: \(reason). Store it as a string, or use another store.",
                key: key.text
            )
        }
        guard case .array(let elements) = value else {
            throw refusal("values of type \(value.kind.rawValue) are not supported")
        }
        var members: [String] = []
        for element in elements {
            guard case .string(let member) = element else {
                throw refusal(
                    "a set contains only strings, but the array has an element of type \(element.kind.rawValue)"
                )
            }
            members.append(member)
        }
        members.sort { $0.precedesByBytes($1) }
        for (member, next) in zip(members, members.dropFirst()) where member.hasSameBytes(as: next) {
            throw refusal(
                "a set contains each string only once, but the array contains \(member.prefix(40).debugDescription) twice"
            )
        }
        return members
    }

    /// Returns the stored value for a string set, which is a sorted array without duplicates.
    static func set(of members: [String]) -> StoredValue {
        .array(StoredDictionary(members.lazy.map { ($0, .null) }).map { .string($0.key) })
    }

    /// Converts `value` to the form in which the file stores it, keeping the type of `current` if that loses no information.
    static func fitting(_ value: StoredValue, over current: StoredValue?) -> StoredValue {
        switch (value, current) {
        case (.unsigned(let number), _): StoredValue.integer(number) ?? value
        case (.float(let number), .double?): .double(Double(number))
        case (.double(let number), .float?):
            Double(Float(number)).canonicalBits == number.canonicalBits ? .float(Float(number)) : value
        case (.array(let elements), _):
            set(
                of: elements.compactMap { element in
                    if case .string(let member) = element { member } else { nil }
                }
            )
        default: value
        }
    }
}
