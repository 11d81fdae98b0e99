package import Foundation

/// A folder that gives access only to the files directly inside it, even if a file name comes from an untrusted source.
///
/// Names that would resolve to a path outside the folder are rejected. Symbolic links inside the folder are never followed. Reading a link
/// throws an error, and replacing it replaces the link itself.
package struct ConfinedFolder: Sendable {
    /// The path of the folder.
    package let path: String
    private let fileSystem: any FileSystem

    /// The maximum length of a file name in bytes, which leaves room for the longer names of temporary files.
    package static let longestName = 230

    /// Creates a value for the folder at `path`, without creating the folder on disk.
    package init(_ path: String, on fileSystem: any FileSystem = .local) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// Creates the folder with mode 0700 if it is missing.
    package func create() throws { try fileSystem.createDirectory(at: path) }

    /// Returns the path of the file named `name`.
    ///
    /// Throws ``FileError`` with code `invalidPath` if the name is empty, longer than ``longestName``, "." or "..", contains a slash or
    /// NUL, or is reserved for temporary files.
    package func path(of name: String) throws -> String {
        let reason: String? =
            if name.isEmpty || name == "." || name == ".." {
                "the name is empty, \".\" or \"..\""
            } else if name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) {
                "the name contains a slash or NUL"
            } else if name.utf8.count > Self.longestName {
                "the name is longer than \(Self.longestName) bytes"
            } else if TemporaryFile.isNameOfOne(name) {
                "the name is reserved for temporary files"
            } else {
                nil
            }
        if let reason { throw FileError(.invalidPath, .open, FilePath.joining(path, "") + name, detail: reason) }
        return FilePath.joining(path, name)
    }

    /// Returns the content of the file named `name`, or `nil` if the file does not exist.
    package func contents(of name: String) throws -> Data? {
        try fileSystem.contentsIfPresent(of: try path(of: name), followingLinks: false)
    }

    /// Atomically replaces the content of the file named `name`.
    ///
    /// See ``FileSystem/replaceContents(of:with:permissions:followingLinks:)``.
    package func replaceContents(of name: String, with content: some ContiguousBytes) throws {
        try fileSystem.replaceContents(of: try path(of: name), with: content, followingLinks: false)
    }

    /// Removes the file named `name` if it exists.
    package func remove(_ name: String) throws { try fileSystem.removeIfPresent(try path(of: name)) }

    /// Opens the file named `name`, without following a symbolic link.
    ///
    /// The setting `mode.followsLinks` is ignored.
    package func open(_ name: String, _ mode: FileOpenMode) throws -> any OpenFile {
        var mode = mode
        mode.followsLinks = false
        return try fileSystem.open(try path(of: name), mode)
    }

    /// Returns the names of all entries in the folder, except leftover temporary files.
    package func names() throws -> [String] {
        try fileSystem.contentsOfDirectory(at: path).filter { !TemporaryFile.isNameOfOne($0) }
    }
}
