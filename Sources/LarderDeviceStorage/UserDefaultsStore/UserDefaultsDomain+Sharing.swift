import Foundation
import Synchronization

extension UserDefaultsDomain {
    /// What tells domains apart: their name, or the object itself where the name is not known.
    private enum Identity: Hashable {
        case name(String)
        case object(ObjectIdentifier)
    }

    private struct Reference {
        weak var domain: UserDefaultsDomain?
    }

    private static let all = Mutex<[Identity: Reference]>([:])

    /// The one domain object for what `userDefaults` writes to, kept as long as somebody uses it.
    static func shared(_ userDefaults: UserDefaults) -> UserDefaultsDomain {
        let name = UserDefaultsObjects.domainName(of: userDefaults)
        // An identifier is not given to another object meanwhile, because the domain keeps this one.
        let identity = name.map(Identity.name) ?? .object(ObjectIdentifier(userDefaults))
        // Made outside the lock: it asks `userDefaults`, which may be of a subclass of the user's.
        let new = UserDefaultsDomain(UserDefaultsObjects(SendableUserDefaults(userDefaults), domainName: name))
        let (domain, living) = all.withLock { all -> (UserDefaultsDomain, [UserDefaultsDomain]) in
            if let domain = all[identity]?.domain { return (domain, []) }
            let living = all.compactMapValues(\.domain)
            all = living.mapValues { Reference(domain: $0) }
            all[identity] = Reference(domain: new)
            return (new, Array(living.values))
        }
        // Each of these may be the last reference by now, and the end of a domain resumes the readers of its changes.
        withExtendedLifetime(living) {}
        return domain
    }
}
