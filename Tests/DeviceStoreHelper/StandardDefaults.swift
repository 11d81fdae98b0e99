import Foundation
import LarderCore
import LarderDeviceStorage

/// What an application does with its standard domain: `DeviceStoreHelper defaults "domain first"`.
enum StandardDefaults {
    /// Sets "launches" one higher in the standard domain; ends the process with 7 when the store refuses.
    static func countLaunch(isDomainAskedFirst: Bool) throws {
        let domain = "kCFPreferencesCurrentApplication"
        if isDomainAskedFirst { _ = UserDefaults.standard.persistentDomain(forName: domain) }
        let store = UserDefaultsStore(.standard)
        do {
            guard case .int(let launches) = try store.get("launches") ?? 0 else { throw Wrong("It is no int.") }
            try store.set(.int(launches + 1), for: "launches")
        } catch let error as StoreError where error.code == .inputOutput {
            exit(7)
        }
        guard try store.verify().isIntact else { throw Wrong("The standard domain is damaged.") }
    }
}
