public import LarderCore

/// A change to the value of a key, as delivered to observers.
public struct DefaultsUpdate<Value> {
    /// The value before the change, or the key's default if no readable value was stored.
    ///
    /// This is `nil` if the value was `nil`, or if only ``DefaultsObservingOptions/new`` was requested.
    public let oldValue: Value?
    /// The value after the change, or the key's default if no readable value is stored.
    ///
    /// This is `nil` if the value is `nil`, or if only ``DefaultsObservingOptions/old`` was requested.
    public let newValue: Value?
    /// Whether this is the first of the two updates that ``DefaultsObservingOptions/prior`` requests.
    public let isPrior: Bool
    /// The writer that made the change, or `nil` for the update that ``DefaultsObservingOptions/initial`` requests.
    public let origin: StoreChange.Origin?

    init(old: Value?, new: Value?, isPrior: Bool = false, origin: StoreChange.Origin?) {
        oldValue = old.flatMap { Self.isNil($0) ? nil : $0 }
        newValue = new.flatMap { Self.isNil($0) ? nil : $0 }
        self.isPrior = isPrior
        self.origin = origin
    }

    // For an optional key that has become nil, `update.newValue == nil` must be true.
    private static func isNil(_ value: Value) -> Bool { (value as? any OptionalValue)?.isNil ?? false }
}

extension DefaultsUpdate: Sendable where Value: Sendable {}

/// The namespace of `DefaultsObserver<Key>.Update`, SwiftyUserDefaults' name for ``DefaultsUpdate``.
public enum DefaultsObserver<Value: DefaultsSerializable> {
    /// A change to the value of a key whose value type is `Value`.
    public typealias Update = DefaultsUpdate<Value.T>
}

/// Options that select the updates and values that an observer of a key receives.
///
/// Options with neither ``old`` nor ``new``, such as `[]` and `[.initial]`, request both values.
public struct DefaultsObservingOptions: OptionSet, Sendable {
    /// The bit mask of the options.
    public let rawValue: Int

    /// Creates options from a bit mask.
    ///
    /// - Parameter rawValue: The bit mask.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Updates contain the value after the change.
    public static let new = DefaultsObservingOptions(rawValue: 1)
    /// Updates contain the value before the change.
    public static let old = DefaultsObservingOptions(rawValue: 2)
    /// The observer receives one update before `observe` returns, with the current value as both the old and the new value.
    public static let initial = DefaultsObservingOptions(rawValue: 4)
    /// The observer receives two updates per change, both after the commit.
    ///
    /// The first update has only the old value and is marked as ``DefaultsUpdate/isPrior``. The second update is the usual one.
    public static let prior = DefaultsObservingOptions(rawValue: 8)
    /// Updates contain neither the old nor the new value.
    static let bare = DefaultsObservingOptions(rawValue: 1 << 30)
}
