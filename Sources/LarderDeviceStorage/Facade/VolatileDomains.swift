import Foundation
import LarderCore

/// What a ``StoreUserDefaults`` holds beside its store: values by domain name, gone with the object.
struct VolatileDomains: Sendable {
    /// Stands in for missing values.
    var registered: StoredDictionary {
        get { self[UserDefaults.registrationDomain] }
        set { self[UserDefaults.registrationDomain] = newValue }
    }

    private var domains: [String: StoredDictionary] = [:]

    /// The names of all domains, that of the registered values among them.
    var names: [String] { Set(domains.keys).union([UserDefaults.registrationDomain]).sorted() }

    /// The values of one domain; none for a name that was never used.
    subscript(name: String) -> StoredDictionary {
        get { domains[name] ?? [:] }
        set { domains[name] = newValue }
    }

    /// Forgets one domain.
    mutating func remove(_ name: String) { domains[name] = nil }
}
