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
        let reference = SendableUserDefaults(userDefaults)
        return all.withLock { all in
            if let domain = all[identity]?.domain { return domain }
            all = all.filter { $0.value.domain != nil }
            let domain = UserDefaultsDomain(UserDefaultsObjects(reference, domainName: name))
            all[identity] = Reference(domain: domain)
            return domain
        }
    }
}
