import Foundation

/// The property list objects in a domain of `UserDefaults`, without launch arguments.
struct UserDefaultsObjects: Sendable {
    private let reference: SendableUserDefaults
    /// The name that Foundation uses for the domain, or `nil` if the name is unknown.
    let domainName: String?
    /// The keys that launch arguments override, so that `object(forKey:)` doesn't return their stored values.
    private let hiddenKeys: Set<String>

    private var userDefaults: UserDefaults { reference.userDefaults }

    init(_ reference: SendableUserDefaults, domainName: String?) {
        self.reference = reference
        self.domainName = domainName
        hiddenKeys = Set(reference.userDefaults.volatileDomain(forName: UserDefaults.argumentDomain).keys)
    }

    /// Returns the stored or registered object under a key, or `nil` if there is no object.
    subscript(key: String) -> Any? {
        hiddenKeys.contains(key) ? all[key] : userDefaults.object(forKey: key)
    }

    /// The path of the domain's file, or `nil` if the path is unknown.
    ///
    /// The file may not exist.
    var file: String? { domainName.flatMap(PlatformStandardStore.file(ofDomain:)) }

    /// All objects in the domain.
    ///
    /// If the name of the domain is unknown, registered objects are included.
    var all: [String: Any] {
        guard let domainName else { return userDefaults.dictionaryRepresentation() }
        // Foundation on Linux reads the standard domain's file when a key is first read. If the whole domain is read before that,
        // Foundation treats the domain as empty for the life of the process.
        _ = userDefaults.object(forKey: "")
        return userDefaults.persistentDomain(forName: domainName) ?? [:]
    }

    /// Sets an object in memory, or removes the object under `key` if `object` is `nil`.
    func write(_ object: Any?, for key: String) {
        if let object { userDefaults.set(object, forKey: key) } else { userDefaults.removeObject(forKey: key) }
    }

    /// Marks all entries as changed, so that the next call to ``synchronize()`` writes all entries.
    ///
    /// - Parameter replacement: A closure that returns a new object to set for an entry. Foundation does not consider an entry changed if
    ///   the same object is set again.
    func markUnsaved(_ replacement: (String, Any) -> Any?) {
        guard domainName != nil else { return }
        for (key, object) in all {
            guard let replacement = replacement(key, object) else { continue }
            userDefaults.removeObject(forKey: key)
            userDefaults.set(replacement, forKey: key)
        }
    }

    /// Writes pending changes to the domain's file.
    ///
    /// - Returns: `true` if the file was written, or `false` if writing failed. A failed write may truncate the file.
    func synchronize() -> Bool { userDefaults.synchronize() }

    /// Returns Foundation's name for the domain to which `userDefaults` writes, or `nil` if the name is unknown.
    ///
    /// Foundation has no accessor for a suite's name, but non-Apple platforms keep the name in a stored property. If the name is unknown,
    /// listings include registered values, and two `UserDefaults` objects for the same suite do not observe each other's changes.
    static func domainName(of userDefaults: UserDefaults) -> String? {
        if userDefaults === UserDefaults.standard { return PlatformStandardStore.standardDomainName }
        var mirror: Mirror? = Mirror(reflecting: userDefaults)
        while let current = mirror {
            if let suite = current.children.first(where: { $0.label == "suite" })?.value {
                return suite as? String ?? PlatformStandardStore.standardDomainName
            }
            mirror = current.superclassMirror
        }
        return nil
    }
}
