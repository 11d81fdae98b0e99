package import Foundation
import Synchronization

/// A folder of a test's own, removed with everything in it once the last reference to this is gone and this process has no file in it
/// open.
///
/// So it does not matter in which order a test releases the folder and the stores in it.
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

    deinit { ReleasedFolders.shared.add(path) }

    /// The folder as a URL.
    package var url: URL { URL(fileURLWithPath: path, isDirectory: true) }

    /// The path of something in the folder.
    package func path(_ name: String) -> String { path + "/" + name }

    /// The URL of something in the folder.
    package func url(_ name: String) -> URL { url.appendingPathComponent(name) }
}

/// The folders that no test uses any more.
private final class ReleasedFolders: Sendable {
    static let shared = ReleasedFolders()

    private let paths = Mutex<Set<String>>([])

    private init() { atexit { ReleasedFolders.shared.removeAll() } }

    /// Takes a folder, and removes those in which no file is open.
    ///
    /// A store whose folder was removed under it would report that, in whatever test runs by then.
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

    /// The files and folders that this process has open, where the system tells.
    private static func openFiles() -> [String] {
        let folder = "/proc/self/fd"
        guard let descriptors = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
        return descriptors.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
            .filter { !$0.hasSuffix(" (deleted)") }
    }
}
