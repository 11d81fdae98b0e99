import Foundation
import LarderCore

/// The volatile domains of a ``UserDefaultsFacade``, which exist only in memory.
struct VolatileDomains: Sendable {
    /// The registered default values, which are returned for missing keys.
    var registered: StoredDictionary {
        get { self[UserDefaults.registrationDomain] }
        set { self[UserDefaults.registrationDomain] = newValue }
    }

    private var domains: [String: StoredDictionary] = [:]

    /// The names of all volatile domains, including the registration domain.
    var names: [String] { Set(domains.keys).union([UserDefaults.registrationDomain]).sorted() }

    /// The values of the domain with the given name, or an empty dictionary if the domain does not exist.
    subscript(name: String) -> StoredDictionary {
        get { domains[name] ?? [:] }
        set { domains[name] = newValue }
    }

    mutating func remove(_ name: String) { domains[name] = nil }
}
