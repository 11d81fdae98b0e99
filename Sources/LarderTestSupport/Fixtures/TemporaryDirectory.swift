package import Foundation
import Synchronization

/// A temporary folder for one test.
///
/// The folder is removed when the last reference to it has been released and this process has no open files in it. A test may therefore
/// release the folder and its stores in any order.
package final class TemporaryDirectory: Sendable {
    /// The path of the folder, with all symbolic links resolved.
    package let path: String

    /// Creates a folder inside the system's temporary folder.
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

    deinit { ReleasedFolders.shared.add(path) }

    /// The URL of the temporary folder.
    package var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    /// Returns the path of the file or folder with this name in the temporary folder.
    package func path(_ name: String) -> String { path + "/" + name }

    /// Returns the URL of the file or folder with this name in the temporary folder.
    package func url(_ name: String) -> URL { url.appendingPathComponent(name) }
}

/// A thread-safe set of temporary folders that tests have released but that still contain open files.
private final class ReleasedFolders: Sendable {
    static let shared = ReleasedFolders()

    private let paths = Mutex<Set<String>>([])

    private init() { atexit { ReleasedFolders.shared.removeAll() } }

    /// Adds a folder to the set, then removes all folders in the set that contain no open files.
    ///
    /// Folders with open files are kept, because a store whose folder is removed while it is open would report an issue in another test.
    func add(_ path: String) {
        paths.withLock { paths in
            paths.insert(path)
            let open = Self.openFiles()
            let closed = paths.filter { path in !open.contains { $0 == path || $0.hasPrefix(path + "/") } }
            for path in closed { try? FileManager.default.removeItem(atPath: path) }
            paths.subtract(closed)
        }
    }

    private func removeAll() {
        paths.withLock { paths in for path in paths { try? FileManager.default.removeItem(atPath: path) } }
    }

    /// Returns the paths of the files and folders that this process has open, or an empty list if the system can't list them.
    private static func openFiles() -> [String] {
        let folder = "/proc/self/fd"
        guard let descriptors = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
        return descriptors.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
            .filter { !$0.hasSuffix(" (deleted)") }
    }
}
