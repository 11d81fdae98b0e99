#if Inspector
import LarderCore

extension JSONText {
    /// Writes the member `preview` with the format of bytes that are no property list.
    ///
    /// Unknown formats are omitted.
    mutating func preview(of bytes: [UInt8]) {
        guard let format = DataFormat(of: bytes) else { return }
        name("preview")
        object { $0.member("format", format.rawValue) }
    }

    /// Writes the member `preview` with the content of a property list or archive.
    ///
    /// Names and values of an archive are in different places, so nothing of an archive with a secret is written.
    mutating func preview(ofList root: StoredValue, hasSecrets: Bool, _ form: ValueForm) {
        name("preview")
        object { json in
            json.member("format", root.isArchive ? "archive" : "property list")
            if root.isArchive, hasSecrets, !form.reveals { return }
            var form = form
            form.previews = false
            json.name("value")
            json.value(root, form)
        }
    }
}

/// The formats of data that are recognized by their first bytes.
private enum DataFormat: String {
    case json
    case png
    case jpeg
    case gif
    case webp

    init?(of bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else if let first = bytes.first, let last = bytes.last, Self.isJSON(first, last) {
            self = .json
        } else {
            return nil
        }
    }

    private static func isJSON(_ first: UInt8, _ last: UInt8) -> Bool {
        (first == UInt8(ascii: "{") && last == UInt8(ascii: "}"))
            || (first == UInt8(ascii: "[") && last == UInt8(ascii: "]"))
    }
}
#endif
