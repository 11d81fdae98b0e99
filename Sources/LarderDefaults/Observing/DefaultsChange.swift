public import LarderCore

/// One commit to the store of an adapter.
public struct DefaultsChange: Sendable {
    /// The names of all keys that it changed, each once; empty when the commit could not be followed.
    public let keys: [String]
    /// Who made it.
    public let origin: StoreChange.Origin
    /// Whether ``keys`` is everything that has changed; if not, read again what matters.
    public let isComplete: Bool
    private let entries: [StoreChange.Entry]
    private let place: DefaultsPlace

    init(_ event: StoreEvent, in place: DefaultsPlace) {
        self.place = place
        switch event {
        case .change(let change):
            entries = change.entries
            origin = change.origin
            isComplete = true
        case .missed:
            entries = []
            origin = .anotherProcess
            isComplete = false
        }
        keys = entries.map(\.key)
    }

    /// What the commit did to one key.
    ///
    /// - Parameter key: The key.
    /// - Returns: The values before and after, or `nil` when the commit did not change it.
    public func update<Value>(of key: DefaultsKey<Value>) -> DefaultsUpdate<Value.T>? {
        guard let entry = entries.first(where: { StoreKey($0.key) == StoreKey(key._key) }) else { return nil }
        return DefaultsUpdate(
            old: place.value(of: key, stored: entry.old),
            new: place.value(of: key, stored: entry.new),
            origin: origin
        )
    }
}
