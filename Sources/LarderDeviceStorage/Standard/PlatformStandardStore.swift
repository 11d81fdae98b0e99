import Foundation
package import LarderCore
import LarderDeviceStore

// This file contains the only platform-dependent code in this target.
package enum PlatformStandardStore {
    #if canImport(Darwin)
    /// Whether `StandardStore.configure` accepts a directory, which is `false` because the system chooses the location.
    static let takesDirectory = false
    /// Whether `Defaults` reads launch arguments, like the system's own `UserDefaults`.
    static let readsLaunchArguments = true
    /// The name that Foundation uses for the domain of `UserDefaults.standard`.
    static let standardDomainName = Bundle.main.bundleIdentifier

    /// Returns `nil`, because a system daemon manages the files of domains on Apple platforms.
    static func file(ofDomain name: String) -> String? { nil }

    package static func open(
        _ configuration: StandardStoreConfiguration?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> any KeyValueStore {
        UserDefaultsStore(UserDefaults.standard)
    }

    /// Always returns `nil`, because the device's storage on Apple platforms is `UserDefaults`, not a Larder file.
    package static func path(
        _ configuration: StandardStoreConfiguration?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String? { nil }

    /// Returns `nil`, because all versions of Larder use the same store on Apple platforms.
    package static func earlierStore(
        _ configuration: StandardStoreConfiguration?
    ) -> (store: UserDefaultsStore, path: String)? { nil }
    #else
    /// Whether `StandardStore.configure` accepts a directory.
    static let takesDirectory = true
    /// Whether `Defaults` reads launch arguments.
    ///
    /// The value is `false`, so that a command such as `server -port 80` does not change a setting.
    static let readsLaunchArguments = false
    /// The name that Foundation uses for the domain of `UserDefaults.standard`.
    ///
    /// Reading the domain under this name also returns values that have been set but not yet written.
    static let standardDomainName: String? = "kCFPreferencesCurrentApplication"

    /// Returns the path of the file in which Foundation for Linux stores a domain of `UserDefaults`.
    static func file(ofDomain name: String) -> String? {
        let environment = ProcessInfo.processInfo.environment
        let name = name == standardDomainName ? ProcessInfo.processInfo.processName : name
        if name.hasPrefix("/") { return name + ".plist" }
        if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") { return "\(folder)/\(name).plist" }
        return environment["HOME"].map { "\($0)/.config/\(name).plist" }
    }

    package static func open(
        _ configuration: StandardStoreConfiguration?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> any KeyValueStore {
        try DeviceStore(path: try path(configuration, environment: environment))
    }

    /// Returns the path of the device's storage: `DIRECTORY/APPLICATION.larder`.
    ///
    /// The default directory is the application's folder in the user's data folder
    /// (https://specifications.freedesktop.org/basedir-spec/latest/).
    package static func path(
        _ configuration: StandardStoreConfiguration?,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> String {
        let application = configuration?.application ?? ProcessInfo.processInfo.processName
        let file = application + ".larder"
        if let directory = configuration?.directory { return directory.appending(path: file).path }
        // The specification requires relative paths to be ignored.
        if let folder = environment["XDG_DATA_HOME"], folder.hasPrefix("/") {
            return "\(folder)/\(application)/\(file)"
        }
        if let home = environment["HOME"], home.hasPrefix("/") { return "\(home)/.local/share/\(application)/\(file)" }
        throw StoreError(
            .noLocation,
            "The location of device storage can't be determined. Set HOME or XDG_DATA_HOME to an absolute path, or configure device storage with a directory."
        )
    }

    /// Returns the store that earlier versions of Larder used, and the path of its file, or `nil` if there is no such file.
    package static func earlierStore(
        _ configuration: StandardStoreConfiguration?
    ) -> (store: UserDefaultsStore, path: String)? {
        let suite = configuration.map { $0.directory?.appending(path: $0.application).path ?? $0.application }
        guard let path = file(ofDomain: suite ?? standardDomainName ?? ""),
            FileManager.default.fileExists(atPath: path)
        else { return nil }
        guard let suite else { return (UserDefaultsStore(UserDefaults.standard), path) }
        // Foundation on Linux returns nil for no suite name.
        return UserDefaults(suiteName: suite).map { (UserDefaultsStore($0), path) }
    }
    #endif
}
