#if Objects
internal import Foundation
internal import LarderCore
internal import LarderFiles

/// The processes that have a file open, as far as the system tells.
enum OpenProcesses {
    /// Returns the number and the ids of the processes, including this one.
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
        let list = ids.sorted().map { $0 == CurrentProcess.identifier ? "\($0), this one" : "\($0)" }
        return ids.isEmpty ? "none" : "\(ids.count) (\(list.joined(separator: "; ")))"
    }
}
#endif
