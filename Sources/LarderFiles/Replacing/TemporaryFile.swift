/// The new content of a file while it is written, under a name that tells what it is.
///
/// Whoever writes one holds its lock, so that one without a lock is known to be left over from a crash, and nobody removes
/// one that is in use. No folder is listed for that: the names are counted from 0.
struct TemporaryFile {
    let file: any OpenFile
    private let fileSystem: any FileSystem

    /// How many may be written at once for one destination.
    private static let limit = 64
    /// Leaves room for the ending within the 255 bytes that file systems allow.
    ///
    /// Names that begin alike may share one.
    private static let longestStem = 200

    /// Creates one, and removes what an earlier crash left.
    init(beside destination: String, on fileSystem: any FileSystem) throws {
        self.fileSystem = fileSystem
        for number in 0..<Self.limit {
            guard let file = try Self.create(Self.path(beside: destination, number), on: fileSystem) else { continue }
            self.file = file
            // Crashes of several writers may have left several: each replacement looks one further. What can't be removed is in
            // nobody's way.
            _ = try? Self.removeLeftover(Self.path(beside: destination, number + 1), on: fileSystem)
            return
        }
        throw FileError(.busy, .write, destination, detail: "\(Self.limit) others are replacing it")
    }

    static func path(beside destination: String, _ number: Int) -> String {
        var stem = ""
        for character in FilePath.name(of: destination) {
            if stem.utf8.count + character.utf8.count > longestStem { break }
            stem.append(character)
        }
        return FilePath.joining(FilePath.folder(of: destination), ".\(stem).larder-new-\(number)")
    }

    /// Whether a file of this name is one.
    static func isNameOfOne(_ name: String) -> Bool {
        guard name.hasPrefix("."), let last = name.lastIndex(of: "-") else { return false }
        return name[...last].hasSuffix(".larder-new-") && Int(name[last...].dropFirst()) != nil
    }

    /// `nil` when the name is in use.
    private static func create(_ path: String, on fileSystem: any FileSystem) throws -> (any OpenFile)? {
        let mode = FileOpenMode(isWritable: true, creation: .always, followsLinks: false)
        for _ in 0..<2 {
            do {
                let file = try fileSystem.open(path, mode)
                do {
                    // Between being created and locked it looked left over, and another writer may have removed it.
                    if try file.lock(.exclusive, wait: false), try isCurrent(file, on: fileSystem) { return file }
                    return nil
                } catch {
                    // Should it stay, it is what a crash leaves: the next replacement removes it.
                    try? fileSystem.remove(path)
                    throw error
                }
            } catch let error as FileError where error.code == .alreadyExists {
                guard try removeLeftover(path, on: fileSystem) else { return nil }
            }
        }
        return nil
    }

    /// False when it is in use, or nothing of ours.
    private static func removeLeftover(_ path: String, on fileSystem: any FileSystem) throws -> Bool {
        guard let found = try fileSystem.information(at: path, followingLinks: false) else { return true }
        guard found.kind == .file else { return false }
        do {
            let file = try fileSystem.open(path, FileOpenMode(isWritable: false, followsLinks: false))
            // Nothing is written to it.
            defer { try? file.close() }
            guard try file.lock(.exclusive, wait: false), try isCurrent(file, on: fileSystem) else { return false }
            try fileSystem.remove(path)
            return true
        } catch let error as FileError where error.code == .notFound {
            return true
        } catch let error as FileError where error.code == .notPermitted {
            return false
        }
    }

    /// Whether the path still leads to the file that was opened.
    private static func isCurrent(_ file: any OpenFile, on fileSystem: any FileSystem) throws -> Bool {
        let opened = try file.information()
        guard let found = try fileSystem.information(at: file.path, followingLinks: false) else { return false }
        return found.inode == opened.inode && found.device == opened.device
    }

    /// After a failure: whatever this meets, the first failure is the one to tell of, and the next replacement tries again.
    func remove() {
        try? fileSystem.remove(file.path)
        try? file.close()
    }
}
