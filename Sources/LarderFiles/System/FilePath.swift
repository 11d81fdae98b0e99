/// Taking paths apart by their text, without asking the file system.
package enum FilePath {
    /// The folder that holds what is at `path`; "." for a bare name, "/" for "/".
    package static func folder(of path: String) -> String {
        let trimmed = trimming(path)
        guard let slash = trimmed.utf8.lastIndex(of: separator) else { return "." }
        let folder = trimming(String(trimmed[..<slash]))
        return folder.isEmpty ? "/" : folder
    }

    /// The last part of the path.
    package static func name(of path: String) -> String {
        let trimmed = trimming(path)
        guard let slash = trimmed.utf8.lastIndex(of: separator) else { return trimmed }
        return String(trimmed[trimmed.utf8.index(after: slash)...])
    }

    /// `path` seen from `folder`: unchanged when it is absolute.
    package static func joining(_ folder: String, _ path: String) -> String {
        if path.utf8.first == separator { return path }
        return folder.utf8.last == separator ? folder + path : folder + "/" + path
    }

    private static let separator = UInt8(ascii: "/")

    /// Without the slashes at the end; "/" is the exception.
    private static func trimming(_ path: String) -> String {
        guard let last = path.utf8.lastIndex(where: { $0 != separator }) else { return path.isEmpty ? "" : "/" }
        return String(path[...last])
    }
}
