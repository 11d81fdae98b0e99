import LarderCore

/// What a ``DefaultsKey`` of any type tells of itself.
protocol DeclaredKey {
    var _key: String { get }
    /// Every key of the store that belongs to it: its name, its former names, its version.
    var storeKeys: [StoreKey] { get }
    /// What is stored for its default; `nil` for none.
    func storedDefault() throws -> StoredValue?
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
}
