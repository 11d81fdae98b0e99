import LarderCore
import LarderFiles

/// A folder for stores on Apple platforms: in an App Group, protected while the device is locked, left out of backups.
///
/// ```swift
/// var folder = AppleStoreFolder("weather")
/// folder.appGroup = "group.org.example.weather"  // shared with the widget
/// let store = try DeviceStore(path: folder.make() + "/settings.larder")
/// ```
///
/// Protection and backup belong to the folder and not to one file, because a compaction puts a new file in the place of the
/// old one. Give each store, or all stores that are to be treated alike, a folder of their own.
///
/// A `DeviceStore` may be open while the device is locked, in a background task or a widget: with ``Protection/whileUnlocked``
/// its calls throw `notPermitted` then, and nothing is lost.
public struct AppleStoreFolder: Sendable {
    /// When the system lets the program read and write.
    public enum Protection: Sendable, Hashable, CaseIterable {
        /// Only while the device is unlocked.
        case whileUnlocked
        /// A file that is open stays usable when the device is locked; a new one may be made.
        case unlessOpen
        /// From the first unlocking after a start of the device: what settings need that background tasks read.
        case afterFirstUnlock
        /// Always.
        case always
    }

    /// What the folder is called, within the App Group's or the program's Application Support folder.
    public let name: String
    /// The identifier of an App Group that the program is entitled to; none unless set.
    public var appGroup: String?
    /// ``Protection/afterFirstUnlock`` unless set.
    public var protection = Protection.afterFirstUnlock
    /// Whether backups leave it out: `false` unless set.
    public var isExcludedFromBackup = false

    /// A folder, which is not made yet.
    ///
    /// - Parameter name: A name for a folder, or several with slashes between.
    public init(_ name: String) { self.name = name }

    /// Makes the folder with mode 0700, if it is missing, and marks it.
    ///
    /// - Returns: Its path.
    /// - Throws: ``StoreError``: `notPermitted` for an App Group that is not the program's, `invalidConfiguration` off Apple
    ///   platforms, where nothing is made.
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
