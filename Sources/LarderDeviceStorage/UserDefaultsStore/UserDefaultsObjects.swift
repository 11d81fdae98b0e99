import Foundation

/// The property-list objects in the one domain that a `UserDefaults` writes to, without launch arguments.
struct UserDefaultsObjects: Sendable {
    private let reference: SendableUserDefaults
    /// What Foundation calls the domain; `nil` where it can't be known.
    let domainName: String?
    /// Launch arguments hide what is stored under these keys from `object(forKey:)`.
    private let hiddenKeys: Set<String>

    private var userDefaults: UserDefaults { reference.userDefaults }

    init(_ reference: SendableUserDefaults, domainName: String?) {
        self.reference = reference
        self.domainName = domainName
        hiddenKeys = Set(reference.userDefaults.volatileDomain(forName: UserDefaults.argumentDomain).keys)
    }

    /// What is stored under `key`, else what is registered there.
    subscript(key: String) -> Any? {
        hiddenKeys.contains(key) ? all[key] : userDefaults.object(forKey: key)
    }

    /// The domain's file, where it is known; there may be none yet.
    var file: String? { domainName.flatMap(PlatformDeviceStorage.file(ofDomain:)) }

    /// Everything in the domain; also what is registered, where the name of the domain is not known.
    var all: [String: Any] {
        guard let domainName else { return userDefaults.dictionaryRepresentation() }
        // Foundation for Linux reads the standard domain's file at the first reading of a key. Asked for the whole domain before
        // that, it takes the domain for empty, for as long as the process lives.
        _ = userDefaults.object(forKey: "")
        return userDefaults.persistentDomain(forName: domainName) ?? [:]
    }

    /// Sets or removes in memory.
    func write(_ object: Any?, for key: String) {
        if let object { userDefaults.set(object, forKey: key) } else { userDefaults.removeObject(forKey: key) }
    }

    /// Makes Foundation write every entry at the next ``synchronize()``, not only those it believes to have changed.
    ///
    /// - Parameter replacement: The object to set for each entry; the same one has no effect on Foundation's books by itself.
    func markUnsaved(_ replacement: (String, Any) -> Any?) {
        guard domainName != nil else { return }
        for (key, object) in all {
            guard let replacement = replacement(key, object) else { continue }
            userDefaults.removeObject(forKey: key)
            userDefaults.set(replacement, forKey: key)
        }
    }

    /// Writes the file.
    ///
    /// - Returns: `false` when that failed; the file may be cut short then.
    func synchronize() -> Bool { userDefaults.synchronize() }

    /// What Foundation calls the domain that `userDefaults` writes to, where that can be known.
    ///
    /// Foundation has no accessor for the suite name. Off Apple platforms it lies open in a stored property, whose absence only
    /// means that registered values are listed too and that two objects of one suite do not observe each other.
    static func domainName(of userDefaults: UserDefaults) -> String? {
        if userDefaults === UserDefaults.standard { return PlatformDeviceStorage.standardDomainName }
        var mirror: Mirror? = Mirror(reflecting: userDefaults)
        while let current = mirror {
            if let suite = current.children.first(where: { $0.label == "suite" })?.value {
                return suite as? String ?? PlatformDeviceStorage.standardDomainName
            }
            mirror = current.superclassMirror
        }
        return nil
    }
}
