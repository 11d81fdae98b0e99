import Foundation
import LarderCore
import LarderDeviceStorage

/// An application that stores values in its standard domain: `DeviceStoreHelper defaults "domain first"`.
enum StandardDefaults {
    /// Increments "launches" in the standard domain.
    ///
    /// Exits with 7 if the store refuses the domain.
    static func countLaunch(isDomainAskedFirst: Bool) throws {
        let domain = "kCFPreferencesCurrentApplication"
        if isDomainAskedFirst { _ = UserDefaults.standard.persistentDomain(forName: domain) }
        let store = UserDefaultsStore(.standard)
        do {
            guard case .int(let launches) = try store.get("launches") ?? 0 else {
                throw Wrong("\"launches\" is not an int.")
            }
            try store.set(.int(launches + 1), for: "launches")
        } catch let error as StoreError where error.code == .inputOutput {
            exit(7)
        }
        guard try store.verify().isIntact else { throw Wrong("The standard domain is damaged.") }
    }
}
