/// A namespace for functions that work on paths without accessing the file system.
package enum FilePath {
    /// Returns the path of the folder that contains `path`, which is "." for a name without slashes, and "/" for "/".
    package static func folder(of path: String) -> String {
        let trimmed = trimming(path)
        guard let slash = trimmed.utf8.lastIndex(of: separator) else { return "." }
        let folder = trimming(String(trimmed[..<slash]))
        return folder.isEmpty ? "/" : folder
    }

    /// Returns the last component of `path`.
    package static func name(of path: String) -> String {
        let trimmed = trimming(path)
        guard let slash = trimmed.utf8.lastIndex(of: separator) else { return trimmed }
        return String(trimmed[trimmed.utf8.index(after: slash)...])
    }

    /// Returns `path` appended to `folder`, or `path` itself if it is absolute.
    package static func joining(_ folder: String, _ path: String) -> String {
        if path.utf8.first == separator { return path }
        return folder.utf8.last == separator ? folder + path : folder + "/" + path
    }

    private static let separator = UInt8(ascii: "/")

    /// Returns `path` without trailing slashes, except that "/" is unchanged.
    private static func trimming(_ path: String) -> String {
        guard let last = path.utf8.lastIndex(where: { $0 != separator }) else { return path.isEmpty ? "" : "/" }
        return String(path[...last])
    }
}
