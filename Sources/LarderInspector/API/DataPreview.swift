#if Inspector
import LarderCore

extension JSONText {
    /// Writes the member `preview` with the format of bytes, and with their content if they are a property list.
    ///
    /// Unknown formats, and property lists that can't be read, are omitted.
    mutating func preview(of bytes: [UInt8], _ form: ValueForm) {
        guard let format = DataFormat(of: bytes) else { return }
        guard format == .propertyList else {
            name("preview")
            return object { $0.member("format", format.rawValue) }
        }
        guard bytes.count <= form.limit, let root = try? PropertyListDocument.root(of: bytes, isArchive: true) else {
            return
        }
        name("preview")
        object { json in
            json.member("format", root.isArchive ? "archive" : format.rawValue)
            json.name("value")
            json.value(root, ValueForm(limit: form.limit, reveals: form.reveals))
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
    case propertyList = "property list"

    init?(of bytes: [UInt8]) {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if bytes.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if bytes.starts(with: "GIF87a".utf8) || bytes.starts(with: "GIF89a".utf8) {
            self = .gif
        } else if bytes.starts(with: "RIFF".utf8), bytes.dropFirst(8).starts(with: "WEBP".utf8) {
            self = .webp
        } else if bytes.starts(with: "bplist".utf8) {
            self = .propertyList
        } else if bytes.starts(with: "<?xml".utf8) || bytes.starts(with: "<plist".utf8) {
            self = .propertyList
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

extension StoredValue {
    /// Whether this is the root of a keyed archive.
    fileprivate var isArchive: Bool {
        if case .dictionary(let entries) = self {
            entries["$archiver"] != nil && entries["$objects"] != nil
        } else {
            false
        }
    }
}
#endif
