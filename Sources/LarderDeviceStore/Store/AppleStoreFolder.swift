import LarderCore
import LarderFiles

/// A folder for stores on Apple platforms, with data protection.
///
/// The folder can be located in an App Group, and can be excluded from backups.
///
/// ```swift
/// var folder = AppleStoreFolder("weather")
/// folder.appGroup = "group.org.example.weather"  // shared with the widget
/// let store = try DeviceStore(path: folder.make() + "/settings.larder")
/// ```
///
/// Protection and backup exclusion are attributes of the folder, because a compaction replaces the store's file. Give each store, or each
/// group of stores with the same attributes, its own folder.
///
/// A ``DeviceStore`` may be open while the device is locked, for example in a background task or a widget. With
/// ``Protection/whileUnlocked``, its calls then throw `notPermitted`. No data is lost.
public struct AppleStoreFolder: Sendable {
    /// The data protection level of the folder, which determines when files in the folder are accessible.
    public enum Protection: Sendable, Hashable, CaseIterable {
        /// Files are accessible only while the device is unlocked.
        case whileUnlocked
        /// Open files stay accessible while the device is locked, and new files can be created.
        case unlessOpen
        /// Files are accessible after the device has been unlocked for the first time since it started.
        ///
        /// Use this for settings that background tasks read.
        case afterFirstUnlock
        /// Files are always accessible.
        case always
    }

    /// The name of the folder in the App Group's container or in the program's Application Support folder.
    public let name: String
    /// The identifier of an App Group, or `nil` to use the program's own folder.
    ///
    /// The App Group must be in the program's entitlements. The default is `nil`.
    public var appGroup: String?
    /// The data protection level of the folder.
    ///
    /// The default is ``Protection/afterFirstUnlock``.
    public var protection = Protection.afterFirstUnlock
    /// Whether backups exclude the folder.
    ///
    /// The default is `false`.
    public var isExcludedFromBackup = false

    /// Creates a folder description, without creating the folder on disk.
    ///
    /// - Parameter name: The name of a folder, or a relative path with slashes.
    public init(_ name: String) { self.name = name }

    /// Creates the folder with mode 0700 if it is missing, and sets its attributes.
    ///
    /// - Returns: The path of the folder.
    /// - Throws: `StoreError` with the code `notPermitted` if the App Group is not in the entitlements, or `invalidConfiguration` on
    ///   other platforms, where no folder is created.
    public func make() throws -> String {
        do {
            let path = FilePath.joining(try AppleFolder.container(appGroup: appGroup), name)
            try LocalFileSystem().createDirectory(at: path)
            try AppleFolder.mark(path, protection.fileProtection, isExcludedFromBackup: isExcludedFromBackup)
            return path
        } catch {
            throw StoreError.device(error, name)
        }
    }
}

extension AppleStoreFolder.Protection {
    fileprivate var fileProtection: AppleFolder.Protection {
        switch self {
        case .whileUnlocked: .whileUnlocked
        case .unlessOpen: .unlessOpen
        case .afterFirstUnlock: .afterFirstUnlock
        case .always: .always
        }
    }
}
