package import Foundation

/// A folder of a test's own, removed with everything in it when the last reference to this goes.
package final class TemporaryDirectory: Sendable {
    /// The folder, with every symbolic link on the way to it followed.
    package let path: String

    /// Creates it in the system's place for temporary files.
    package init() throws {
        let base = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        let url = base.appendingPathComponent("larder-test-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(
            at: url,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        path = url.path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The folder as a URL.
    package var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    /// The path of something in the folder.
    package func path(_ name: String) -> String { path + "/" + name }

    /// The URL of something in the folder.
    package func url(_ name: String) -> URL { url.appendingPathComponent(name) }
}
