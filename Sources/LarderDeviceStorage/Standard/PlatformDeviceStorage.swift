import Foundation
package import LarderCore

// The one place of this target that knows platforms apart.
package enum PlatformDeviceStorage {
    #if canImport(Darwin)
    /// The system chooses.
    static let takesDirectory = false
    /// What Foundation calls the domain of `UserDefaults.standard`.
    static let standardDomainName = Bundle.main.bundleIdentifier

    package static func open(_ configuration: DeviceStorageConfiguration?) -> any KeyValueStore {
        UserDefaultsStore(UserDefaults.standard)
    }
    #else
    /// A suite name may be a path.
    static let takesDirectory = true
    /// What Foundation calls the domain of `UserDefaults.standard`; unlike the name of the executable, it shows at once what
    /// was set and not yet written.
    static let standardDomainName: String? = "kCFPreferencesCurrentApplication"

    package static func open(_ configuration: DeviceStorageConfiguration?) -> any KeyValueStore {
        guard let configuration else { return UserDefaultsStore(UserDefaults.standard) }
        let suite =
            configuration.directory?.appending(path: configuration.application).path ?? configuration.application
        // No suite name makes Foundation for Linux return nil; the standard ones are named after the executable.
        return UserDefaultsStore(UserDefaults(suiteName: suite) ?? .standard)
    }
    #endif
}
