package import Foundation

/// A folder and the files right inside it: no name, whatever it is, leads anywhere else.
///
/// Names that can't be a file's are refused. A symbolic link inside the folder is never followed: reading it is an error,
/// replacing it replaces the link.
package struct ConfinedFolder: Sendable {
    /// The folder.
    package let path: String
    private let fileSystem: any FileSystem

    /// How many bytes a file's name may have, with room for what an atomic replace adds.
    package static let longestName = 230

    /// Nothing is created until ``create()``.
    package init(_ path: String, on fileSystem: any FileSystem = .local) {
        self.path = path
        self.fileSystem = fileSystem
    }

    /// Creates the folder, with mode 0700, where it is missing.
    package func create() throws { try fileSystem.createDirectory(at: path) }

    /// Where a file of this name is.
    ///
    /// Throws `invalidPath` for a name that is empty, too long, or "." or "..", or that has a slash or NUL in it, or that is one of
    /// those which an atomic replacement gives its temporary files.
    package func path(of name: String) throws -> String {
        let reason: String? =
            if name.isEmpty || name == "." || name == ".." {
                "it names no file"
            } else if name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") }) {
                "a name has no slash and no NUL in it"
            } else if name.utf8.count > Self.longestName {
                "a name has no more than \(Self.longestName) bytes"
            } else if TemporaryFile.isNameOfOne(name) {
                "a file being replaced is called so"
            } else {
                nil
            }
        if let reason { throw FileError(.invalidPath, .open, FilePath.joining(path, "") + name, detail: reason) }
        return FilePath.joining(path, name)
    }

    /// All of a file, or `nil` when there is none.
    package func contents(of name: String) throws -> Data? {
        try fileSystem.contentsIfPresent(of: try path(of: name), followingLinks: false)
    }

    /// Replaces a file in one step, as ``FileSystem/replaceContents(of:with:followingLinks:)`` does.
    package func replaceContents(of name: String, with content: some ContiguousBytes) throws {
        try fileSystem.replaceContents(of: try path(of: name), with: content, followingLinks: false)
    }

    /// Removes a file; not an error when there is none.
    package func remove(_ name: String) throws { try fileSystem.removeIfPresent(try path(of: name)) }

    /// Opens a file in the folder.
    ///
    /// `mode.followsLinks` is ignored: no link is followed.
    package func open(_ name: String, _ mode: FileOpenMode) throws -> any OpenFile {
        var mode = mode
        mode.followsLinks = false
        return try fileSystem.open(try path(of: name), mode)
    }

    /// The names of what is in the folder, except what an interrupted replacement left.
    package func names() throws -> [String] {
        try fileSystem.contentsOfDirectory(at: path).filter { !TemporaryFile.isNameOfOne($0) }
    }
}
