import Foundation

/// A folder of its own for one piece of work.
enum TemporaryFolder {
    /// Removes the folder when `work` is done, also when it fails.
    static func with<Result>(_ work: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "larder-tour-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        // Nothing is lost when it stays: the system clears its temporary folder.
        defer { try? FileManager.default.removeItem(at: folder) }
        return try work(folder)
    }
}
