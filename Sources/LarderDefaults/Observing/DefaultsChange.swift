public import LarderCore

/// A commit that changed values in an adapter's store.
public struct DefaultsChange: Sendable {
    /// The names of the changed keys, without duplicates.
    ///
    /// The array is empty if the changed keys are unknown.
    public let keys: [String]
    /// The writer that made the commit.
    public let origin: StoreChange.Origin
    /// Whether ``keys`` contains the names of all changed keys.
    ///
    /// If this is `false`, reread all values that you need.
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

    /// Returns the change that this commit made to the value of one key.
    ///
    /// - Parameter key: The key to look up.
    /// - Returns: The values before and after the commit, or `nil` if the commit did not change the key.
    public func update<Value>(of key: DefaultsKey<Value>) -> DefaultsUpdate<Value.T>? {
        guard let entry = entries.first(where: { StoreKey($0.key) == StoreKey(key._key) }) else { return nil }
        return DefaultsUpdate(
            old: place.value(of: key, stored: entry.old),
            new: place.value(of: key, stored: entry.new),
            origin: origin
        )
    }
}
