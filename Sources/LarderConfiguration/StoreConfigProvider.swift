#if Configuration
public import Configuration
public import LarderCore

/// Any store as a provider of swift-configuration: read only, and watched as the store is.
///
/// ```swift
/// let config = ConfigReader(providers: [
///     EnvironmentVariablesProvider(),
///     StoreConfigProvider(store, prefix: "server."),
/// ])
/// let port = config.int(forKey: "http.port", default: 8080)   // the store's "server.http.port"
/// ```
///
/// A key's parts are joined by dots and put behind the prefix; a key's context plays no part. What is stored is read as the type
/// asked for by the documented conversions, as a typed key reads it: a stored 3 is an `int`, a `double` and a `string`. What does
/// not convert, or loses something on the way (a stored 2.7 as an `int`), is an error and not a missing value, so that no other
/// provider answers in its place. Nothing is ever written. Safe from any thread; it reads as fast as the store does.
public struct StoreConfigProvider: ConfigProvider {
    /// What reports and logs call it.
    public let providerName: String
    private let store: any KeyValueStore
    private let prefix: String
    private let isSecret: @Sendable (String) -> Bool

    /// A provider.
    ///
    /// - Parameters:
    ///   - store: What is read.
    ///   - prefix: What stands before the name of each key in the store.
    ///   - name: Told apart by this in reports and logs; the store's name unless given.
    ///   - isSecret: Whether the value under a key of the store, prefix included, must not be shown in reports and logs; none
    ///     is unless it says so. Called on the reading thread.
    public init(
        _ store: any KeyValueStore,
        prefix: String = "",
        name: String? = nil,
        isSecret: @escaping @Sendable (_ key: String) -> Bool = { _ in false }
    ) {
        self.store = store
        self.prefix = prefix
        self.isSecret = isSecret
        providerName = "StoreConfigProvider[\(name ?? store.inspectionName)]"
    }

    /// The value under a key.
    ///
    /// - Throws: `CoreError.NotFound` for one that does not convert without loss; the error of a store that can't be read.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try lookUp(key, type) { try store.get($0) }
    }

    /// The value under a key; a store on this machine has no newer one elsewhere.
    ///
    /// - Throws: What ``value(forKey:type:)`` throws.
    nonisolated(nonsending) public func fetchValue(
        forKey key: AbsoluteConfigKey,
        type: ConfigType
    ) async throws -> LookupResult {
        try value(forKey: key, type: type)
    }

    /// The value under a key, then the value after each commit that changes it.
    ///
    /// A reader that is slow is given the latest one. Changes of other processes are among them where the store tells of them.
    nonisolated(nonsending) public func watchValue<Return: ~Copyable>(
        forKey key: AbsoluteConfigKey,
        type: ConfigType,
        updatesHandler:
            nonisolated(nonsending) (ConfigUpdatesAsyncSequence<Result<LookupResult, any Error>, Never>) async throws ->
            Return
    ) async throws -> Return {
        let updates = StoreUpdates(store.changes(prefix: encoded(key), buffering: .latest)) {
            Result { try value(forKey: key, type: type) }
        }
        return try await updatesHandler(ConfigUpdatesAsyncSequence(updates))
    }

    /// Everything under the prefix, at one moment.
    ///
    /// A store that can't be read gives a snapshot whose every look-up throws the store's error.
    public func snapshot() -> any ConfigSnapshot {
        Snapshot(provider: self, entries: Result { try store.entries(prefix: prefix) })
    }

    /// Everything under the prefix, then again after each commit that changes any of it.
    nonisolated(nonsending) public func watchSnapshot<Return: ~Copyable>(
        updatesHandler:
            nonisolated(nonsending) (ConfigUpdatesAsyncSequence<any ConfigSnapshot, Never>) async throws -> Return
    ) async throws -> Return {
        let updates = StoreUpdates(store.changes(prefix: prefix, buffering: .latest)) { snapshot() }
        return try await updatesHandler(ConfigUpdatesAsyncSequence(updates))
    }

    private func encoded(_ key: AbsoluteConfigKey) -> String { prefix + key.components.joined(separator: ".") }

    private func lookUp(
        _ key: AbsoluteConfigKey,
        _ type: ConfigType,
        _ get: (StoreKey) throws -> StoredValue?
    ) throws -> LookupResult {
        let name = encoded(key)
        guard let stored = try get(StoreKey(name)) else { return LookupResult(encodedKey: name, value: nil) }
        guard let content = ConfigContent(stored, as: type) else {
            throw CoreError.NotFound(.notConvertible(stored: stored.kind, asked: type.rawValue), key: name)
        }
        return LookupResult(encodedKey: name, value: ConfigValue(content, isSecret: isSecret(name)))
    }

    private struct Snapshot: ConfigSnapshot {
        let provider: StoreConfigProvider
        private let values: Result<[StoreKey: StoredValue], any Error>

        init(provider: StoreConfigProvider, entries: Result<[StoreEntry], any Error>) {
            self.provider = provider
            values = entries.map { entries in
                Dictionary(entries.map { (StoreKey($0.key), $0.value) }) { first, _ in first }
            }
        }

        var providerName: String { provider.providerName }

        func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
            try provider.lookUp(key, type) { try values.get()[$0] }
        }
    }
}
#endif
