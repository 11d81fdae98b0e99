import Foundation
package import LarderCore
import LarderDeviceStore

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

    package static func open(
        _ configuration: DeviceStorageConfiguration?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> any KeyValueStore {
        UserDefaultsStore(UserDefaults.standard)
    }

    /// There is no file of Larder's own.
    package static func path(
        _ configuration: DeviceStorageConfiguration?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String? { nil }

    /// It is still there.
    package static func earlierStore(
        _ configuration: DeviceStorageConfiguration?
    ) -> (store: UserDefaultsStore, path: String)? { nil }
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

    package static func open(
        _ configuration: DeviceStorageConfiguration?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> any KeyValueStore {
        try DeviceStore(path: try path(configuration, environment: environment))
    }

    /// The file of the device's storage: `DIRECTORY/APPLICATION.larder`, the directory being by default a folder of the
    /// application's own among the user's data (https://specifications.freedesktop.org/basedir-spec/latest/).
    package static func path(
        _ configuration: DeviceStorageConfiguration?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String {
        let application = configuration?.application ?? ProcessInfo.processInfo.processName
        let file = application + ".larder"
        if let directory = configuration?.directory { return directory.appending(path: file).path }
        // A relative path is to be ignored, says the specification.
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
            return "\(folder)/\(application)/\(file)"
        }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.local/share/\(application)/\(file)" }
        throw StoreError(
            .noLocation,
            "There is no place for the device's storage: set HOME or XDG_DATA_HOME to an absolute path, or configure device storage with a directory."
        )
    }

    /// Where Larder kept the device's storage before there was a `DeviceStore`, as long as its file is there.
    package static func earlierStore(
        _ configuration: DeviceStorageConfiguration?
    ) -> (store: UserDefaultsStore, path: String)? {
        let suite = configuration.map { $0.directory?.appending(path: $0.application).path ?? $0.application }
        guard let path = file(ofDomain: suite ?? standardDomainName ?? ""),
            FileManager.default.fileExists(atPath: path)
        else { return nil }
        guard let suite else { return (UserDefaultsStore(UserDefaults.standard), path) }
        // No suite name makes Foundation for Linux return nil.
        return UserDefaults(suiteName: suite).map { (UserDefaultsStore($0), path) }
    }
    #endif
}
