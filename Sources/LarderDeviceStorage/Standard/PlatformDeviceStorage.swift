import Foundation
package import LarderCore

// The one place of this target that knows platforms apart.
package enum PlatformDeviceStorage {
    #if canImport(Darwin)
    /// The system chooses.
    static let takesDirectory = false
    /// As the system's own `UserDefaults` does.
    static let readsLaunchArguments = true
    /// What Foundation calls the domain of `UserDefaults.standard`.
    static let standardDomainName = Bundle.main.bundleIdentifier

    /// Nobody but the system's daemon reads the file.
    static func file(ofDomain name: String) -> String? { nil }

    package static func open(_ configuration: DeviceStorageConfiguration?) -> any KeyValueStore {
        UserDefaultsStore(UserDefaults.standard)
    }
    #else
    /// A suite name may be a path.
    static let takesDirectory = true
    /// `server -port 80` must not change a setting.
    static let readsLaunchArguments = false
    /// What Foundation calls the domain of `UserDefaults.standard`; unlike the name of the executable, it shows at once what
    /// was set and not yet written.
    static let standardDomainName: String? = "kCFPreferencesCurrentApplication"

    /// Where Foundation for Linux keeps a domain: a path is taken as it is, a name stands in the user's configuration folder.
    static func file(ofDomain name: String) -> String? {
        let environment = ProcessInfo.processInfo.environment
        let name = name == standardDomainName ? ProcessInfo.processInfo.processName : name
        if name.hasPrefix("/") { return name + ".plist" }
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return "\(folder)/\(name).plist" }
        return environment["HOME"].map { "\($0)/.config/\(name).plist" }
    }

    package static func open(_ configuration: DeviceStorageConfiguration?) -> any KeyValueStore {
        guard let configuration else { return UserDefaultsStore(UserDefaults.standard) }
        let suite =
            configuration.directory?.appending(path: configuration.application).path ?? configuration.application
        // No suite name makes Foundation for Linux return nil; the standard ones are named after the executable.
        return UserDefaultsStore(UserDefaults(suiteName: suite) ?? .standard)
    }
    #endif
}
