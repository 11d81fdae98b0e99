import Foundation

/// A namespace for folder features that exist only on Apple platforms.
package enum AppleFolder {
    /// The data protection level of a folder, which determines when the files in the folder are accessible.
    package enum Protection: Sendable, Hashable, CaseIterable {
        case whileUnlocked, unlessOpen, afterFirstUnlock, always
    }

    #if canImport(Darwin)
    /// Whether the current platform supports App Group containers, data protection and exclusion from backups.
    package static let isAvailable = true

    /// Returns the path of the container of `appGroup`, or of the Application Support folder if `appGroup` is `nil`.
    package static func container(appGroup: String?) throws -> String {
        if let appGroup {
            guard let folder = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: appGroup) else {
                throw FileError(
                    .notPermitted,
                    .inspect,
                    appGroup,
                    detail: "the program is not a member of this App Group"
                )
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

    /// Sets the data protection level of the folder at `path`, and whether backups include it.
    ///
    /// Files that are created in the folder later inherit both settings.
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
    /// Whether the current platform supports App Group containers, data protection and exclusion from backups.
    package static let isAvailable = false

    /// Throws ``FileError`` with code `unsupported`, because App Group and Application Support folders exist only on Apple platforms.
    package static func container(appGroup: String?) throws -> String {
        throw FileError(
            .unsupported,
            .inspect,
            appGroup ?? "",
            detail: "App Group and Application Support folders exist only on Apple platforms"
        )
    }

    /// Throws ``FileError`` with code `unsupported`, because data protection and exclusion from backups exist only on Apple platforms.
    package static func mark(_ path: String, _ protection: Protection, isExcludedFromBackup: Bool) throws {
        throw FileError(
            .unsupported,
            .write,
            path,
            detail: "data protection and exclusion from backups exist only on Apple platforms"
        )
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
