#if Objects
internal import LarderFiles

/// The migration backups in a database's folder.
struct ExistingBackups {
    private let place: String
    private let files: any FileSystem

    init(of place: String, _ files: any FileSystem) {
        self.place = place
        self.files = files
    }

    /// Returns an unused path for a backup of a database with the given model version.
    func path(forVersion version: Int) throws -> String {
        let name = "\(place).version-\(version)"
        var (candidate, number) = (name, 1)
        while try files.information(at: candidate, followingLinks: false) != nil {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }

    /// Removes all but the latest backups.
    ///
    /// - Parameters:
    ///   - count: The number of backups to keep, including the new backup.
    ///   - made: The path of the new backup.
    /// - Throws: `FileError` if the folder can't be listed or a backup can't be removed.
    func removeAll(butLast count: Int, made: String) throws {
        let folder = FilePath.folder(of: place)
        let prefix = FilePath.name(of: place) + ".version-"
        let others = try files.contentsOfDirectory(at: folder)
            .filter { $0.hasPrefix(prefix) && Self.isVersion($0.dropFirst(prefix.count)) }
            .map { FilePath.joining(folder, $0) }
            .filter { $0 != made }
            .compactMap { path in
                try files.information(at: path, followingLinks: false).map { (path: path, time: $0.modified) }
            }
            .sorted { ($0.time, $0.path) > ($1.time, $1.path) }
        for other in others.dropFirst(max(0, count - 1)) { try files.removeIfPresent(other.path) }
    }

    /// Returns whether a file name's suffix is a model version, optionally with a counter, such as `3-2`.
    private static func isVersion(_ text: Substring) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return (1...2).contains(parts.count) && parts.allSatisfy { Int($0).map { $0 > 0 } ?? false }
    }
}
#endif
