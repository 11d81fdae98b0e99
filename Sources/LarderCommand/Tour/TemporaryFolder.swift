import Foundation

enum TemporaryFolder {
    /// Creates a temporary folder, runs `work`, and removes the folder, even if `work` throws.
    static func with<Result>(_ work: (URL) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "larder-tour-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        // A folder that can't be removed is harmless, because the system clears its temporary folder.
        defer { try? FileManager.default.removeItem(at: folder) }
        return try work(folder)
    }
}
