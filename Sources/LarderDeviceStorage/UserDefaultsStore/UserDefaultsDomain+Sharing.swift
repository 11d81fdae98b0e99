import Foundation
import Synchronization

extension UserDefaultsDomain {
    /// The identity of a domain: its name, or its `UserDefaults` object if the name is unknown.
    private enum Identity: Hashable {
        case name(String)
        case object(ObjectIdentifier)
    }

    private struct Reference {
        weak var domain: UserDefaultsDomain?
    }

    private static let all = Mutex<[Identity: Reference]>([:])

    /// Returns the shared instance for the domain to which `userDefaults` writes.
    ///
    /// All stores with the same domain use the same instance.
    static func shared(_ userDefaults: UserDefaults) -> UserDefaultsDomain {
        let name = UserDefaultsObjects.domainName(of: userDefaults)
        // The identifier stays unique, because the domain retains the object.
        let identity = name.map(Identity.name) ?? .object(ObjectIdentifier(userDefaults))
        // The domain is created outside the lock, because its initializer calls `userDefaults`, which may be a subclass in the program.
        let new = UserDefaultsDomain(UserDefaultsObjects(SendableUserDefaults(userDefaults), domainName: name))
        let (domain, living) = all.withLock { all -> (UserDefaultsDomain, [UserDefaultsDomain]) in
            if let domain = all[identity]?.domain { return (domain, []) }
            let living = all.compactMapValues(\.domain)
            all = living.mapValues { Reference(domain: $0) }
            all[identity] = Reference(domain: new)
            return (new, Array(living.values))
        }
        // Each of these references may be the last one, and releasing a domain resumes the readers of its changes.
        withExtendedLifetime(living) {}
        return domain
    }
}
