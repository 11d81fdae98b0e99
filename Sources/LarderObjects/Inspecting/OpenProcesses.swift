#if Objects
internal import Foundation
internal import LarderFiles

/// The processes that have a file open, as far as the system tells.
enum OpenProcesses {
    /// Returns the identifiers of the processes, including this one.
    ///
    /// The system tells of the processes of other users only if this process may know.
    static func description(of path: String) -> String {
        let files: any FileSystem = LocalFileSystem()
        let manager = FileManager.default
        guard let place = try? files.resolvingLinks(in: path),
            let names = try? files.contentsOfDirectory(at: "/proc")
        else { return "unknown on this system" }
        let ids = names.compactMap { Int32($0) }.filter { id in
            let folder = "/proc/\(id)/fd"
            // A process may end at any time, and one of another user can't be listed.
            let descriptors = (try? files.contentsOfDirectory(at: folder)) ?? []
            return descriptors.contains { (try? manager.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == place }
        }
        return ids.isEmpty ? "none" : ids.sorted().map { String($0) }.joined(separator: ", ")
    }
}
#endif
