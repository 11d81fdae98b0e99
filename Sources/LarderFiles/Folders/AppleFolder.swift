import Foundation

/// What Apple platforms know about folders and other systems don't.
package enum AppleFolder {
    /// When the system lets a program read what lies in a folder.
    package enum Protection: Sendable, Hashable, CaseIterable {
        case whileUnlocked, unlessOpen, afterFirstUnlock, always
    }

    #if canImport(Darwin)
    /// Whether there are such things here.
    package static let isAvailable = true

    /// Where the program keeps data of its own: that of its App Group, or its Application Support folder.
    package static func container(appGroup: String?) throws -> String {
        if let appGroup {
            guard let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup) else {
                throw FileError(.notPermitted, .inspect, appGroup, detail: "the program is not in this App Group")
            }
            return folder.path
        }
        return try FileManager.default.url(
            for: .applicationSupportDirectory,
            in: .userDomainMask,
            appropriateFor: nil,
            create: false
        ).path
    }

    /// Files that are made in the folder at `path` from now on are protected like it, and left out of backups with it.
    package static func mark(_ path: String, _ protection: Protection, isExcludedFromBackup: Bool) throws {
        do {
            try FileManager.default.setAttributes([.protectionKey: protection.type], ofItemAtPath: path)
            var values = URLResourceValues()
            values.isExcludedFromBackup = isExcludedFromBackup
            var folder = URL(filePath: path, directoryHint: .isDirectory)
            try folder.setResourceValues(values)
        } catch {
            throw FileError(.inputOutput, .write, path, detail: "\(error)")
        }
    }
    #else
    /// Whether there are such things here.
    package static let isAvailable = false

    /// There is no such place here.
    package static func container(appGroup: String?) throws -> String {
        throw FileError(
            .unsupported,
            .inspect,
            appGroup ?? "",
            detail: "there are such folders on Apple platforms only"
        )
    }

    /// There is no such thing here.
    package static func mark(_ path: String, _ protection: Protection, isExcludedFromBackup: Bool) throws {
        throw FileError(.unsupported, .write, path, detail: "folders are marked on Apple platforms only")
    }
    #endif
}

#if canImport(Darwin)
extension AppleFolder.Protection {
    fileprivate var type: FileProtectionType {
        switch self {
        case .whileUnlocked: .complete
        case .unlessOpen: .completeUnlessOpen
        case .afterFirstUnlock: .completeUntilFirstUserAuthentication
        case .always: .none
        }
    }
}
#endif
