import Foundation

/// The kinds of store that are opened by path.
enum StoreKind: String, CaseIterable, Sendable {
    /// One property list, XML or binary.
    case propertyList = "plist"

    /// Tells the kind of a file that is there.
    ///
    /// The content decides. A name decides where the content is none that is known, so that a damaged `settings.plist` is
    /// opened, and refused, as what it was.
    static func ofFile(at path: String) throws -> StoreKind? {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        let beginning = try file.read(upToCount: 512) ?? Data()
        return isPropertyList(beginning) ? .propertyList : ofName(path)
    }

    /// Tells the kind of a file that is not there yet, by the end of its name.
    static func ofName(_ path: String) -> StoreKind? {
        path.lowercased().hasSuffix(".plist") ? .propertyList : nil
    }

    private static func isPropertyList(_ beginning: Data) -> Bool {
        if beginning.starts(with: Data("bplist".utf8)) { return true }
        // The beginning may end within a character: what is cut off becomes U+FFFD.
        let text = String(decoding: beginning, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
        if text.hasPrefix("<plist") || text.hasPrefix("<!DOCTYPE plist") { return true }
        return text.hasPrefix("<?xml") && (text.contains("<plist") || text.contains("<!DOCTYPE plist"))
    }
}
