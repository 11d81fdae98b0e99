import LarderCore

/// Which values Android's shared preferences hold, and in which form.
enum SharedPreferencesForm {
    /// Checks that `value` can be held.
    static func check(_ value: StoredValue, under key: StoreKey) throws {
        switch value {
        case .bool, .int, .float, .double, .string: return
        case .unsigned(let number) where number <= UInt64(Int64.max): return
        default: _ = try members(of: value, under: key)
        }
    }

    /// The members of a set, sorted.
    static func members(of value: StoredValue, under key: StoreKey) throws -> [String] {
        func refusal(_ reason: String) -> StoreError {
            StoreError(
                .unsupportedValue,
                "The value for \(key) can't be kept in Android's shared preferences: \(reason). Put it there as a string, or keep it in another store.",
                key: key.text
            )
        }
        guard case .array(let elements) = value else {
            throw refusal("they hold nothing of the kind \(value.kind.rawValue)")
        }
        var members: [String] = []
        for element in elements {
            guard case .string(let member) = element else {
                throw refusal(
                    "their sets hold strings alone, but this array holds something of the kind \(element.kind.rawValue)"
                )
            }
            members.append(member)
        }
        members.sort { $0.precedesByBytes($1) }
        for (member, next) in zip(members, members.dropFirst()) where member.hasSameBytes(as: next) {
            throw refusal(
                "their sets hold a string once, but this array holds \(member.prefix(40).debugDescription) twice"
            )
        }
        return members
    }

    /// A set as it is read: sorted, each member once.
    static func set(of members: [String]) -> StoredValue {
        .array(StoredDictionary(members.lazy.map { ($0, .null) }).map { .string($0.key) })
    }

    /// `value` as the file will show it, where `current` stood before.
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
