import LarderCore

/// A type-erased ``DefaultsKey`` that also returns its store keys and the stored form of its default.
protocol DeclaredKey {
    var _key: String { get }
    /// The store keys of the key's current and former names, and the reserved key that holds the version of the value.
    var storeKeys: [StoreKey] { get }
    /// Returns the stored form of the default, or `nil` if the default is `nil`.
    func storedDefault() throws -> StoredValue?
    /// The type of the value, such as "Int?".
    var typeName: String { get }
    /// Returns the stored form of the current value, or `nil` if nothing is stored, and the source of the value.
    func current(in place: DefaultsPlace) throws -> (value: StoredValue?, origin: DefaultsOrigin)
}

extension DefaultsKey: DeclaredKey {
    var storeKeys: [StoreKey] {
        guard let rules else { return [StoreKey(_key)] }
        return [StoreKey(_key)] + rules.formerNames.map { StoreKey($0) } + [rules.versionKey].compactMap(\.self)
    }

    func storedDefault() throws -> StoredValue? {
        let stored = try ValueType.bridge.exactCodec.encode(defaultValue)
        if case .null = stored { return nil }
        return stored
    }

    var typeName: String { "\(ValueType.T.self)".replacing(/^Optional<(.*)>$/) { "\($0.1)?" } }

    func current(in place: DefaultsPlace) throws -> (value: StoredValue?, origin: DefaultsOrigin) {
        let origin = try place.origin(of: self)
        for name in [_key] + (rules?.formerNames ?? []) {
            if let value = try place.value(StoreKey(name)) { return (value, origin) }
        }
        return (nil, origin)
    }
}
