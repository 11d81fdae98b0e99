#if Configuration
public import Configuration
public import LarderCore

/// A provider for swift-configuration that reads values from a key-value store.
///
/// The provider is read-only and supports watching values.
///
/// ```swift
/// let config = ConfigReader(providers: [
///     EnvironmentVariablesProvider(),
///     StoreConfigProvider(store, prefix: "server."),
/// ])
/// let port = config.int(forKey: "http.port", default: 8080)   // the store's "server.http.port"
/// ```
///
/// The key in the store is the prefix, followed by the components of the configuration key, joined by dots. The key's context is ignored.
/// Stored values are converted to the requested type with `ConversionPolicy.documented`. For example, a stored 3 can be read as an `int`, a
/// `double` or a `string`. If a value can't be converted without loss, such as a stored 2.7 as an `int`, the lookup throws an error instead
/// of falling back to another provider. The provider is thread-safe.
public struct StoreConfigProvider: ConfigProvider {
    /// The provider's name in reports and logs.
    public let providerName: String
    private let store: any KeyValueStore
    private let prefix: String
    private let isSecret: @Sendable (String) -> Bool

    /// Creates a provider that reads from a store.
    ///
    /// - Parameters:
    ///   - store: The store to read from.
    ///   - prefix: The prefix that is added to each key in the store.
    ///   - name: A name to use in reports and logs. The default is the store's name.
    ///   - isSecret: A closure that returns whether a value must be hidden in reports and logs. Its argument is the key in the store,
    ///     including the prefix. By default no value is secret. The closure runs on the reading thread.
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

    /// Returns the value under a key, converted to the requested type.
    ///
    /// - Throws: `CoreError.NotFound` if the value can't be converted without loss, or the store's error if it can't be read.
    public func value(forKey key: AbsoluteConfigKey, type: ConfigType) throws -> LookupResult {
        try lookUp(key, type) { try store.get($0) }
    }

    /// Returns the same result as ``value(forKey:type:)``.
    ///
    /// The provider has no remote source to fetch newer values from.
    ///
    /// - Throws: The errors that ``value(forKey:type:)`` throws.
    nonisolated(nonsending) public func fetchValue(
        forKey key: AbsoluteConfigKey,
        type: ConfigType
    ) async throws -> LookupResult {
        try value(forKey: key, type: type)
    }

    /// Watches a value: delivers the current value, then the new value after each commit that changes the value.
    ///
    /// A slow reader receives only the latest value. Changes made by other processes are included if the store observes them.
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

    /// Returns a consistent snapshot of all values whose keys begin with the prefix.
    ///
    /// If the store can't be read, every lookup in the snapshot throws the store's error.
    public func snapshot() -> any ConfigSnapshot {
        Snapshot(provider: self, entries: Result { try store.entries(prefix: prefix) })
    }

    /// Watches all values whose keys begin with the prefix.
    ///
    /// Delivers a snapshot of the current values, then a new snapshot after each commit that changes any of these values.
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
