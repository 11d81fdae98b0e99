public import Foundation
public import LarderCore
import Synchronization

/// Any ``KeyValueStore`` for code that takes a `UserDefaults`.
///
/// ```swift
/// let defaults: UserDefaults = StoreUserDefaults(MemoryStore())
/// defaults.set([1, 2], forKey: "ports")
/// defaults.array(forKey: "ports") as? [Int]  // [1, 2]
/// ```
///
/// Every call acts on the store at once and on nothing else: no file of Foundation's is read or written, launch arguments are
/// not looked at, and what is registered belongs to this object alone.
///
/// **It never stops the process.** A value that no ``StoredValue`` can hold, and a failure of the store, are reported as a
/// ``LarderIssue`` on ``KeyValueStore/issues``; the stored value stays as it was, and a getter returns what is registered, or
/// the value that `UserDefaults` documents for a missing key. The throwing twins are the store's own methods together with
/// ``LarderCore/StoredValue/init(object:)``.
///
/// **Observing.** Key-value observing and `UserDefaults.didChangeNotification` tell nothing about this object; observe ``store``
/// instead.
///
/// Safe to use from any thread, as the store is, though Foundation declares the class as not `Sendable`.
public final class StoreUserDefaults: UserDefaults {
    /// The store that everything is kept in.
    public var store: any KeyValueStore { reporting.store }
    /// What the store is called in `persistentDomain(forName:)` and its siblings.
    public let domainName: String

    private let reporting: ReportingStore
    private let volatile = Mutex(VolatileDomains())

    /// A `UserDefaults` over `store`.
    ///
    /// - Parameters:
    ///   - store: Where everything is kept; other users of it see what is set here and the other way round.
    ///   - domainName: What the store is called as a persistent domain. Without it, the bundle identifier of the program or,
    ///     where there is none, the name of its process: what programs pass to `removePersistentDomain(forName:)`.
    public init(_ store: any KeyValueStore, domainName: String? = nil) {
        reporting = ReportingStore(store: store)
        self.domainName = domainName ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        // Foundation documents nil for two suite names, and no name is neither. It has no initialiser that cannot fail.
        // swift-format-ignore: NeverForceUnwrap
        super.init(suiteName: nil)!
        // Foundation's initialiser has just set the launch arguments.
        volatile.withLock { $0.remove(UserDefaults.argumentDomain) }
    }

    // MARK: - Any value

    /// The value under `key` in its natural Swift type, else the registered one; see ``LarderCore/StoredValue/object``.
    public override func object(forKey key: String) -> Any? { stored(key)?.object }

    /// Keeps `value` under `key`; nothing, also nothing in an optional, removes it.
    ///
    /// What ``LarderCore/StoredValue/init(object:)`` refuses is reported with code `unsupportedValue` and changes nothing.
    public override func set(_ value: Any?, forKey key: String) {
        if let value { reporting.write(object: value, forKey: key) } else { removeObject(forKey: key) }
    }

    /// Removes the value under `key`.
    ///
    /// A registered one shows again.
    public override func removeObject(forKey key: String) { reporting.write(nil, forKey: key) }

    /// Everything in the store, and what is registered under other keys, in natural Swift types.
    public override func dictionaryRepresentation() -> [String: Any] {
        var values = volatile.withLock(\.registered)
        for entry in reporting.entries() { values[entry.key] = entry.value }
        return values.objects
    }

    /// Makes everything set so far as durable as the store can; blocks meanwhile.
    ///
    /// - Returns: `false` when the medium did not confirm; an issue was reported then.
    @discardableResult
    public override func synchronize() -> Bool { reporting.flush() }

    // MARK: - Getters

    // They read as `UserDefaults` documents, by Larder's own conversions: Foundation's on Linux stop the process at a text that
    // begins with an emoji, read `Int.max` as 0, and lose the scheme and host of a URL.

    /// The number under `key`; a text's number, cut to an integer; 1 for `true`; 0 when there is none.
    public override func integer(forKey key: String) -> Int { converted(key) ?? 0 }

    /// The number under `key`, as the nearest `Float`; 0 when there is none.
    public override func float(forKey key: String) -> Float { converted(key) ?? 0 }

    /// The number under `key`; 0 when there is none.
    public override func double(forKey key: String) -> Double { converted(key) ?? 0 }

    /// The truth value under `key`; `true` for any number but 0 and for a text like "YES"; `false` when there is none.
    public override func bool(forKey key: String) -> Bool { converted(key) ?? false }

    /// The text under `key`, or that of a number.
    public override func string(forKey key: String) -> String? { converted(key) }

    /// The URL under `key`, exactly as it was set, or that of a text.
    public override func url(forKey key: String) -> URL? { converted(key) }

    /// The data under `key`.
    public override func data(forKey key: String) -> Data? { converted(key) }

    /// The array under `key`, its elements in natural Swift types; `as? [String]` succeeds where all are text.
    public override func array(forKey key: String) -> [Any]? {
        guard case .array(let elements)? = stored(key) else { return nil }
        return elements.map(\.object)
    }

    /// The dictionary under `key`, its values in natural Swift types.
    public override func dictionary(forKey key: String) -> [String: Any]? {
        guard case .dictionary(let entries)? = stored(key) else { return nil }
        return entries.objects
    }

    /// The array under `key` if all its elements are text.
    public override func stringArray(forKey key: String) -> [String]? { array(forKey: key) as? [String] }

    // MARK: - Setters

    /// Keeps an integer.
    public override func set(_ value: Int, forKey key: String) { reporting.write(.int(Int64(value)), forKey: key) }

    /// Keeps a `Float`, which stays one.
    public override func set(_ value: Float, forKey key: String) { reporting.write(.float(value), forKey: key) }

    /// Keeps a `Double`.
    public override func set(_ value: Double, forKey key: String) { reporting.write(.double(value), forKey: key) }

    /// Keeps a truth value.
    public override func set(_ value: Bool, forKey key: String) { reporting.write(.bool(value), forKey: key) }

    /// Keeps the absolute text of a URL; nothing removes it.
    public override func set(_ url: URL?, forKey key: String) {
        reporting.write(url.map { .url($0) }, forKey: key)
    }

    // MARK: - Domains

    // One persistent domain, the store; and volatile ones in memory, of which the registered values alone are searched.

    /// Stands in for missing values from now on, in this object alone.
    ///
    /// What has no stored form is left out and reported.
    public override func register(defaults registrationDictionary: [String: Any]) {
        register(reporting.storedValues(of: registrationDictionary))
    }

    /// What is registered under `key`, for typed defaults.
    package func registeredValue(forKey key: String) -> StoredValue? { volatile.withLock { $0.registered[key] } }

    /// Registers values that have their stored form already.
    package func register(_ values: StoredDictionary) {
        changeVolatile { volatile in
            for entry in values { volatile.registered[entry.key] = entry.value }
        }
    }

    /// Everything in the store, for its own name; `nil` for any other name.
    public override func persistentDomain(forName name: String) -> [String: Any]? {
        name == domainName ? reporting.entries().objects : nil
    }

    /// Replaces everything in the store in one transaction, for its own name; any other name is reported.
    ///
    /// One value without a stored form, and nothing is replaced.
    public override func setPersistentDomain(_ domain: [String: Any], forName name: String) {
        let values = reporting.storedValues(of: domain)
        if isOwn(name), values.count == domain.count { reporting.replaceAll(by: values, domain: name) }
    }

    /// Empties the store in one transaction, for its own name; any other name is reported.
    public override func removePersistentDomain(forName name: String) {
        if isOwn(name) { reporting.replaceAll(by: [:], domain: name) }
    }

    /// The names of the registered values' domain and of those set by ``setVolatileDomain(_:forName:)``.
    public override var volatileDomainNames: [String] { volatile.withLock(\.names) }

    /// The registered values, or what was set under that name.
    public override func volatileDomain(forName name: String) -> [String: Any] {
        volatile.withLock { $0[name] }.objects
    }

    /// Replaces the registered values, or keeps values under a name of their own, where no getter finds them.
    public override func setVolatileDomain(_ domain: [String: Any], forName name: String) {
        let values = reporting.storedValues(of: domain)
        changeVolatile { $0[name] = values }
    }

    /// Forgets the registered values, or those under that name.
    public override func removeVolatileDomain(forName name: String) { changeVolatile { $0.remove(name) } }

    /// Adds nothing and reports it: a facade has one store.
    public override func addSuite(named suiteName: String) {
        store.issues.report(
            LarderIssue(
                .unsupportedValue,
                "A facade over one store can't search the suite \(suiteName.debugDescription) too: open it by itself."
            )
        )
    }

    /// Does nothing: no suite is ever added.
    public override func removeSuite(named suiteName: String) {}

    /// `false`: nobody manages a store from outside.
    public override func objectIsForced(forKey key: String) -> Bool { false }

    /// `false`: nobody manages a store from outside.
    public override func objectIsForced(forKey key: String, inDomain domain: String) -> Bool { false }

    // MARK: -

    /// Changes the volatile domains; what was in them is released outside the lock, for it may hold bytes of the caller's.
    private func changeVolatile(_ change: (inout VolatileDomains) -> Void) {
        let former = volatile.withLock { volatile in
            let former = volatile
            change(&volatile)
            return former
        }
        withExtendedLifetime(former) {}
    }

    private func stored(_ key: String) -> StoredValue? {
        reporting.value(forKey: key) ?? volatile.withLock { $0.registered[key] }
    }

    private func converted<Value: StorableValue>(_ key: String) -> Value? {
        stored(key).flatMap { Value.converted(from: $0, policy: .foundation)?.value }
    }

    private func isOwn(_ name: String) -> Bool {
        if name == domainName { return true }
        store.issues.report(
            LarderIssue(
                .unsupportedValue,
                "The domain \(name.debugDescription) is not this store, which is called \(domainName.debugDescription): nothing was changed."
            )
        )
        return false
    }
}
