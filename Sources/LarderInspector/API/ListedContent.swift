#if Inspector
import LarderCore

/// What data or a string contains, if it is a property list or an archive.
enum ListedContent {
    /// The value is not a readable property list.
    case none
    /// The root, and whether a name in the property list looks like that of a secret.
    case list(root: StoredValue, hasSecrets: Bool)
    /// The value is a property list of which only the beginning is known, or that is too long to be searched.
    case unsearched

    /// The number of bytes in which the beginning of a property list in XML is recognized.
    private static let recognized = 1_024
    /// The number of property lists within property lists that are searched.
    private static let maximumDepth = 8

    /// Decodes and searches a value.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - isCut: Whether `value` is only the beginning of a value.
    ///   - limit: The number of bytes of the longest property list that is searched.
    ///   - depth: The number of property lists in which the value is.
    init(of value: StoredValue, isCut: Bool, upTo limit: Int, depth: Int = 0) {
        let count: Int
        let head: [UInt8]
        switch value {
        case .data(let data):
            count = data.count
            head = Array(data.prefix(Self.recognized))
        case .string(let text) where text.utf8.first.map(Self.mayBegin) ?? false:
            count = text.utf8.count
            head = Array(text.utf8.prefix(Self.recognized))
        default:
            self = .none
            return
        }
        guard let isXML = Self.isXML(head) else {
            self = .none
            return
        }
        guard !isCut, count <= limit, depth < Self.maximumDepth else {
            // The root of XML of another kind has another name.
            self = !isXML || Self.hasRoot(head) ? .unsearched : .none
            return
        }
        var bytes: [UInt8]
        switch value {
        case .data(let data): bytes = [UInt8](data)
        case .string(let text): bytes = Array(text.utf8)
        default: bytes = []
        }
        if isXML { bytes.removeFirst(Self.space(head)) }
        // As an archive, fewer references to one object are accepted.
        let archive = try? PropertyListDocument.root(of: bytes, isArchive: true)
        guard let root = archive ?? (try? PropertyListDocument.root(of: bytes)) else {
            self = .none
            return
        }
        self = .list(root: root, hasSecrets: root.hasSecrets(upTo: limit, depth: depth + 1))
    }

    /// The number of bytes of a property list that tell nothing of its content.
    static let heading = 8

    // MARK: Recognition

    private static func mayBegin(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "<") || byte == 0xEF || isSpace(byte) }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    /// Returns the number of bytes of a byte order mark and white space at the beginning.
    private static func space(_ head: [UInt8]) -> Int {
        let mark = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        return mark + head[mark...].prefix(while: isSpace).count
    }

    /// Returns whether bytes begin like a property list in XML, or `nil` if they don't begin like any property list.
    private static func isXML(_ head: [UInt8]) -> Bool? {
        if head.starts(with: "bplist".utf8) { return false }
        let text = head[space(head)...]
        let isXML = ["<?xml", "<plist", "<!DOCTYPE plist"].contains { text.starts(with: $0.utf8) }
        return isXML ? true : nil
    }

    private static func hasRoot(_ head: [UInt8]) -> Bool {
        let text = String(decoding: head, as: UTF8.self)
        return text.contains("<plist") || text.contains("<!DOCTYPE plist")
    }
}

extension StoredValue {
    /// Whether this is the root of a keyed archive.
    var isArchive: Bool {
        if case .dictionary(let entries) = self {
            entries["$archiver"] != nil && entries["$objects"] != nil
        } else {
            false
        }
    }

    /// Returns whether a part of this value is masked when it is written.
    fileprivate func hasSecrets(upTo limit: Int, depth: Int) -> Bool {
        switch self {
        case .string(let text): MaskedJSON.text(text) != nil || isSecretList(upTo: limit, depth: depth)
        case .data(let data): MaskedJSON.bytes([UInt8](data)) != nil || isSecretList(upTo: limit, depth: depth)
        case .array(let elements): elements.contains { $0.hasSecrets(upTo: limit, depth: depth) }
        case .dictionary(let entries):
            entries.contains { entry in
                entry.value != .null && SecretName.isSecret(entry.key)
                    || entry.value.hasSecrets(upTo: limit, depth: depth)
            }
        case .null, .bool, .int, .unsigned, .float, .double, .date, .url: false
        }
    }

    private func isSecretList(upTo limit: Int, depth: Int) -> Bool {
        switch ListedContent(of: self, isCut: false, upTo: limit, depth: depth) {
        case .none, .list(root: _, hasSecrets: false): false
        case .list, .unsearched: true
        }
    }

    /// Returns whether this whole value is masked because it is a property list with a secret, or too long to be searched for one.
    func isMaskedList(_ form: ValueForm) -> Bool {
        switch ListedContent(of: self, isCut: false, upTo: form.longestList) {
        case .none, .list(root: _, hasSecrets: false): false
        case .list, .unsearched: true
        }
    }

    /// Returns the beginning of a property list, which tells nothing of its content.
    var heading: StoredValue {
        switch self {
        case .data(let data): .data(data.prefix(ListedContent.heading))
        case .string(let text): .string(String(text.unicodeScalars.prefix(ListedContent.heading)))
        default: self
        }
    }
}
#endif
