/// A temporary file that contains the new content of a destination file until it replaces the destination.
///
/// The writer locks its temporary file, so an unlocked temporary file is a leftover from a crash and can be removed. The names are numbered
/// from 0, so that leftover files are found without listing the folder.
struct TemporaryFile {
    let file: any OpenFile
    private let fileSystem: any FileSystem

    /// The maximum number of concurrent temporary files for one destination.
    private static let limit = 64
    /// The maximum number of bytes of the destination's name to include in a temporary file's name.
    ///
    /// The limit keeps the names of temporary files within 255 bytes.
    private static let longestStem = 200

    /// Creates and locks a temporary file next to `destination`.
    ///
    /// A leftover temporary file of the same name is replaced.
    init(beside destination: String, on fileSystem: any FileSystem) throws {
        self.fileSystem = fileSystem
        for number in 0..<Self.limit {
            guard let file = try Self.create(Self.path(beside: destination, number), on: fileSystem) else { continue }
            self.file = file
            // Several writers may have crashed, so each replacement also checks the next number. A file that can't be removed does no harm.
            _ = try? Self.removeLeftover(Self.path(beside: destination, number + 1), on: fileSystem)
            return
        }
        throw FileError(.busy, .write, destination, detail: "\(Self.limit) other writers are replacing it")
    }

    static func path(beside destination: String, _ number: Int) -> String {
        var stem = ""
        for character in FilePath.name(of: destination) {
            if stem.utf8.count + character.utf8.count > longestStem { break }
            stem.append(character)
        }
        return FilePath.joining(FilePath.folder(of: destination), ".\(stem).larder-new-\(number)")
    }

    /// Returns whether `name` has the form of a temporary file's name.
    static func isNameOfOne(_ name: String) -> Bool {
        guard name.hasPrefix("."), let last = name.lastIndex(of: "-") else { return false }
        return name[...last].hasSuffix(".larder-new-") && Int(name[last...].dropFirst()) != nil
    }

    /// Creates and locks the temporary file at `path`, or returns `nil` if a file at this path is in use or can't be removed.
    private static func create(_ path: String, on fileSystem: any FileSystem) throws -> (any OpenFile)? {
        let mode = FileOpenMode(isWritable: true, creation: .always, followsLinks: false)
        for _ in 0..<2 {
            do {
                let file = try fileSystem.open(path, mode)
                do {
                    // Until the file was locked, another writer may have considered it a leftover and removed it.
                    if try file.lock(.exclusive, wait: false), try isCurrent(file, on: fileSystem) { return file }
                    return nil
                } catch {
                    // If the file can't be removed now, the next replacement removes it.
                    try? fileSystem.remove(path)
                    throw error
                }
            } catch let error as FileError where error.code == .alreadyExists {
                guard try removeLeftover(path, on: fileSystem) else { return nil }
            }
        }
        return nil
    }

    /// Removes the temporary file at `path` if a crash left it behind, or returns `false` if the file is in use or can't be removed.
    private static func removeLeftover(_ path: String, on fileSystem: any FileSystem) throws -> Bool {
        guard let found = try fileSystem.information(at: path, followingLinks: false) else { return true }
        guard found.kind == .file else { return false }
        do {
            let file = try fileSystem.open(path, FileOpenMode(isWritable: false, followsLinks: false))
            // The file was only locked, so a failure to close it loses no data.
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

    /// Returns whether the path of the open file still refers to that file.
    private static func isCurrent(_ file: any OpenFile, on fileSystem: any FileSystem) throws -> Bool {
        let opened = try file.information()
        guard let found = try fileSystem.information(at: file.path, followingLinks: false) else { return false }
        return found.inode == opened.inode && found.device == opened.device
    }

    /// Removes the temporary file after the replacement has failed.
    ///
    /// Errors are ignored, because the next replacement removes the file.
    func remove() {
        try? fileSystem.remove(file.path)
        try? file.close()
    }
}
