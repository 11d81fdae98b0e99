public import Foundation
public import LarderCore
import Synchronization

/// A `UserDefaults` object over any `KeyValueStore`, for code that takes a `UserDefaults`.
///
/// ```swift
/// let defaults: UserDefaults = UserDefaultsFacade(MemoryStore())
/// defaults.set([1, 2], forKey: "ports")
/// defaults.array(forKey: "ports") as? [Int]  // [1, 2]
/// ```
///
/// Each call accesses only the store. Foundation's files and launch arguments are not read, and registered values are private to this
/// object.
///
/// **A facade never crashes the process.** If a value can't be stored without loss or the store fails, a `LarderIssue` is reported on
/// `KeyValueStore.issues`. The stored value is then unchanged. A getter returns the registered value if there is one, or otherwise the
/// value that `UserDefaults` documents for a missing key. To get errors instead, call the store's own methods and
/// `StoredValue.init(object:)`.
///
/// **Observing.** Key-value observing and `UserDefaults.didChangeNotification` do not report changes to this object. Observe ``store``
/// instead.
///
/// The object is thread-safe like its store, although Foundation does not declare `UserDefaults` as `Sendable`.
public final class UserDefaultsFacade: UserDefaults {
    /// The store that holds all values.
    public var store: any KeyValueStore { reporting.store }
    /// The name by which `persistentDomain(forName:)` and related methods refer to the store.
    public let domainName: String

    private let reporting: ReportingStore
    private let volatile = Mutex(VolatileDomains())

    /// Creates a `UserDefaults` object over a store.
    ///
    /// - Parameters:
    ///   - store: The store that holds all values. Values that are set through this object are visible to other users of the store, and
    ///     vice versa.
    ///   - domainName: The name by which `persistentDomain(forName:)` and related methods refer to the store. The default is the program's
    ///     bundle identifier, or else its process name, because programs usually pass these names.
    public init(_ store: any KeyValueStore, domainName: String? = nil) {
        reporting = ReportingStore(store: store)
        self.domainName = domainName ?? Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
        // Foundation documents that this initializer fails for two suite names, but not for nil. No designated initializer is non-failable.
        // swift-format-ignore: NeverForceUnwrap
        super.init(suiteName: nil)!
        // Foundation's initializer has just set the launch arguments.
        volatile.withLock { $0.remove(UserDefaults.argumentDomain) }
    }

    // MARK: - Any value

    /// Returns the stored or registered value under `key` in its natural Swift type.
    ///
    /// See `StoredValue.object` for the types.
    public override func object(forKey key: String) -> Any? { stored(key)?.object }

    /// Stores `value` under `key`, or removes the stored value if `value` is `nil` or an optional that contains `nil`.
    ///
    /// A value that `StoredValue.init(object:)` rejects is reported with code `unsupportedValue`, and nothing is changed.
    public override func set(_ value: Any?, forKey key: String) {
        if let value { reporting.write(object: value, forKey: key) } else { removeObject(forKey: key) }
    }

    /// Removes the stored value under `key`, so that a registered value becomes visible again.
    public override func removeObject(forKey key: String) { reporting.write(nil, forKey: key) }

    /// Returns all stored values and, for keys without a stored value, the registered values.
    ///
    /// The values have their natural Swift types.
    public override func dictionaryRepresentation() -> [String: Any] {
        var values = volatile.withLock(\.registered)
        for entry in reporting.entries() { values[entry.key] = entry.value }
        return values.objects
    }

    /// Makes all earlier writes as durable as the store supports, and blocks until they are synced.
    ///
    /// - Returns: `true` if the writes were synced, or `false` if syncing failed, which is also reported as an issue.
    @discardableResult
    public override func synchronize() -> Bool { reporting.flush() }

    // MARK: - Getters

    // The getters convert values in the way that `UserDefaults` documents, but use Larder's own conversions. On Linux, Foundation's
    // conversions end the process for a string that begins with an emoji, read `Int.max` as 0, and lose the scheme and host of a URL.

    /// Returns the number under `key`, truncated to an integer.
    ///
    /// A string is parsed as a number, `true` is 1, and a missing value is 0.
    public override func integer(forKey key: String) -> Int { converted(key) ?? 0 }

    /// Returns the number under `key` as the nearest `Float`, or 0 if there is no number.
    public override func float(forKey key: String) -> Float { converted(key) ?? 0 }

    /// Returns the number under `key`, or 0 if there is no number.
    public override func double(forKey key: String) -> Double { converted(key) ?? 0 }

    /// Returns the Boolean under `key`, or `false` if there is no Boolean.
    ///
    /// A number other than 0 and a string such as "YES" are converted to `true`.
    public override func bool(forKey key: String) -> Bool { converted(key) ?? false }

    /// Returns the string under `key`, or `nil` if there is no string.
    ///
    /// A stored number is converted to a string.
    public override func string(forKey key: String) -> String? { converted(key) }

    /// Returns the URL under `key` exactly as it was set, or `nil` if there is no URL.
    ///
    /// A stored string is parsed as a URL.
    public override func url(forKey key: String) -> URL? { converted(key) }

    /// Returns the data under `key`, or `nil` if there is no data.
    public override func data(forKey key: String) -> Data? { converted(key) }

    /// Returns the array under `key`, or `nil` if there is no array.
    ///
    /// The elements have their natural Swift types, so `as? [String]` succeeds if all elements are strings.
    public override func array(forKey key: String) -> [Any]? {
        guard case .array(let elements)? = stored(key) else { return nil }
        return elements.map(\.object)
    }

    /// Returns the dictionary under `key`, or `nil` if there is no dictionary.
    ///
    /// The values have their natural Swift types.
    public override func dictionary(forKey key: String) -> [String: Any]? {
        guard case .dictionary(let entries)? = stored(key) else { return nil }
        return entries.objects
    }

    /// Returns the array under `key` if all its elements are strings, or `nil` otherwise.
    public override func stringArray(forKey key: String) -> [String]? { array(forKey: key) as? [String] }

    // MARK: - Setters

    /// Stores an integer, which is read back exactly as it was set.
    public override func set(_ value: Int, forKey key: String) { reporting.write(.int(Int64(value)), forKey: key) }

    /// Stores a `Float`, which is read back as a `Float` and not as a `Double`.
    public override func set(_ value: Float, forKey key: String) { reporting.write(.float(value), forKey: key) }

    /// Stores a `Double`, which is read back exactly as it was set.
    public override func set(_ value: Double, forKey key: String) { reporting.write(.double(value), forKey: key) }

    /// Stores a Boolean, which is read back as a Boolean and not as a number.
    public override func set(_ value: Bool, forKey key: String) { reporting.write(.bool(value), forKey: key) }

    /// Stores an absolute URL, or removes the stored value if `url` is `nil`.
    public override func set(_ url: URL?, forKey key: String) {
        reporting.write(url.map { .url($0) }, forKey: key)
    }

    // MARK: - Domains

    // The store is the only persistent domain. Volatile domains exist only in memory, and the only one that getters search is the domain of
    // registered values.

    /// Registers values that this object returns for missing keys.
    ///
    /// Values that can't be stored are skipped and reported as issues.
    public override func register(defaults registrationDictionary: [String: Any]) {
        register(reporting.storedValues(of: registrationDictionary))
    }

    /// Returns the stored form of the value that is registered under `key`, or `nil` if no value is registered.
    package func registeredValue(forKey key: String) -> StoredValue? { volatile.withLock { $0.registered[key] } }

    /// Registers default values, which this object returns for missing keys.
    package func register(_ values: StoredDictionary) {
        changeVolatile { volatile in
            for entry in values { volatile.registered[entry.key] = entry.value }
        }
    }

    /// Returns all stored values if `name` is ``domainName``, or `nil` for any other name.
    public override func persistentDomain(forName name: String) -> [String: Any]? {
        name == domainName ? reporting.entries().objects : nil
    }

    /// Replaces all stored values in one transaction if `name` is ``domainName``.
    ///
    /// For any other name, reports an issue and changes nothing.
    ///
    /// If one of the values can't be stored, nothing is replaced.
    public override func setPersistentDomain(_ domain: [String: Any], forName name: String) {
        let values = reporting.storedValues(of: domain)
        if isOwn(name), values.count == domain.count { reporting.replaceAll(by: values, domain: name) }
    }

    /// Removes all stored values in one transaction if `name` is ``domainName``.
    ///
    /// For any other name, reports an issue and changes nothing.
    public override func removePersistentDomain(forName name: String) {
        if isOwn(name) { reporting.replaceAll(by: [:], domain: name) }
    }

    /// The name of the domain for registered values, and the names of the domains set by ``setVolatileDomain(_:forName:)``.
    public override var volatileDomainNames: [String] { volatile.withLock(\.names) }

    /// Returns the values of a volatile domain, such as the domain of registered values.
    ///
    /// The dictionary is empty for an unknown name.
    public override func volatileDomain(forName name: String) -> [String: Any] {
        volatile.withLock { $0[name] }.objects
    }

    /// Replaces the values of a volatile domain.
    ///
    /// The only volatile domain that getters search is the domain of registered values.
    public override func setVolatileDomain(_ domain: [String: Any], forName name: String) {
        let values = reporting.storedValues(of: domain)
        changeVolatile { $0[name] = values }
    }

    /// Removes a volatile domain, such as the domain of registered values.
    public override func removeVolatileDomain(forName name: String) { changeVolatile { $0.remove(name) } }

    /// Reports an issue and has no other effect, because a facade has only one store.
    public override func addSuite(named suiteName: String) {
        store.issues.report(
            LarderIssue(
                .unsupportedValue,
                "A UserDefaultsFacade can't search the suite \(suiteName.debugDescription), because it reads only one store. Open the suite as a separate store."
            )
        )
    }

    /// Has no effect, because no suite can be added.
    public override func removeSuite(named suiteName: String) {}

    /// Always returns `false`, because a store has no forced (managed) values.
    public override func objectIsForced(forKey key: String) -> Bool { false }

    /// Always returns `false`, because a store has no forced (managed) values.
    public override func objectIsForced(forKey key: String, inDomain domain: String) -> Bool { false }

    // MARK: -

    /// Changes the volatile domains.
    ///
    /// The previous values are released outside the lock, because releasing them may run client code.
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
                "The domain \(name.debugDescription) does not belong to this store, so nothing was changed. Pass the name of the store's domain, \(domainName.debugDescription)."
            )
        )
        return false
    }
}
