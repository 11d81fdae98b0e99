public import LarderCore

/// What an observer of one key is told.
public struct DefaultsUpdate<Value> {
    /// The value before; `nil` if it was nil, or if ``DefaultsObservingOptions/new`` alone was asked for.
    ///
    /// Where nothing was stored, or nothing readable, it is the key's default.
    public let oldValue: Value?
    /// The value now; `nil` if it is nil, or if ``DefaultsObservingOptions/old`` alone was asked for.
    ///
    /// Where nothing is stored, or nothing readable, it is the key's default.
    public let newValue: Value?
    /// Whether this is the first half of the pair that ``DefaultsObservingOptions/prior`` asks for.
    public let isPrior: Bool
    /// Who made the change; `nil` for the update that ``DefaultsObservingOptions/initial`` asks for.
    public let origin: StoreChange.Origin?

    init(old: Value?, new: Value?, isPrior: Bool = false, origin: StoreChange.Origin?) {
        oldValue = old.flatMap { Self.isNil($0) ? nil : $0 }
        newValue = new.flatMap { Self.isNil($0) ? nil : $0 }
        self.isPrior = isPrior
        self.origin = origin
    }

    // So that `update.newValue == nil` holds for an optional key that has become nil.
    private static func isNil(_ value: Value) -> Bool { (value as? any OptionalValue)?.isNil ?? false }
}

extension DefaultsUpdate: Sendable where Value: Sendable {}

/// SwiftyUserDefaults' name for what an observer is told: `DefaultsObserver<Key>.Update`.
public enum DefaultsObserver<Value: DefaultsSerializable> {
    /// What an observer of a key of this type is told.
    public typealias Update = DefaultsUpdate<Value.T>
}

/// What an observer of a key asks for.
///
/// Options with neither ``old`` nor ``new``, such as `[]` and `[.initial]`, ask for both.
public struct DefaultsObservingOptions: OptionSet, Sendable {
    /// The options as bits.
    public let rawValue: Int

    /// Options by their bits.
    ///
    /// - Parameter rawValue: The bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The value after the change.
    public static let new = DefaultsObservingOptions(rawValue: 1)
    /// The value before the change.
    public static let old = DefaultsObservingOptions(rawValue: 2)
    /// One update at once, before `observe` returns, with the present value as old and new.
    public static let initial = DefaultsObservingOptions(rawValue: 4)
    /// Two updates a change: one that ``DefaultsUpdate/isPrior`` marks, with the old value alone, then the usual one.
    ///
    /// Both come after the commit: a store tells of what has happened.
    public static let prior = DefaultsObservingOptions(rawValue: 8)
    /// An update without values, for those who only want to know that there is one.
    static let bare = DefaultsObservingOptions(rawValue: 1 << 30)
}
