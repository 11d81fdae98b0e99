/// A property list as bytes: XML or binary, read and written without Foundation.
///
/// Foundation's readers end the process on some damaged files, take some damaged files for good ones, and can't say where the
/// damage is.
package enum PropertyListDocument {
    /// How the list is written down.
    package enum Encoding: Sendable, Hashable {
        case xml
        case binary
    }

    /// How deep arrays and dictionaries may lie inside one another in a file that is read.
    static let maximumDepth = 128
    /// The key of the dictionary that stands for a keyed archive's reference, as in XML.
    package static let referenceKey = "CF$UID"

    /// Returns the encoding that the bytes begin like.
    package static func encoding(of bytes: some Sequence<UInt8>) -> Encoding {
        bytes.starts(with: "bplist".utf8) ? .binary : .xml
    }

    /// Reads the root of a list.
    ///
    /// - Parameters:
    ///   - bytes: The whole list.
    ///   - isArchive: Whether the references of a keyed archive are read, each as a dictionary: ``referenceKey`` and the number of
    ///     an object. Without it they are refused.
    /// - Returns: The root with everything in it.
    /// - Throws: ``DocumentDamage``; ``StoreError`` with code `invalidConfiguration` for a list that may be good, in a form that is not
    ///   read here.
    package static func root(of bytes: [UInt8], isArchive: Bool = false) throws -> StoredValue {
        switch encoding(of: bytes) {
        case .binary: return try BinaryPropertyListReader(bytes, isArchive: isArchive).root()
        case .xml:
            try XMLEncoding.check(
                bytes,
                advice:
                    "convert a copy with `plutil -convert xml1`, or read it with Foundation's PropertyListSerialization and write that anew"
            )
            var reader = XMLPropertyListReader(bytes)
            return try reader.root()
        }
    }

    /// Reads the entries of a list whose root is a dictionary.
    ///
    /// - Throws: What ``root(of:isArchive:)`` throws; ``DocumentDamage`` for another root.
    package static func entries(of bytes: [UInt8]) throws -> StoredDictionary {
        guard case .dictionary(let entries) = try root(of: bytes) else {
            throw DocumentDamage(reason: "its root is no dictionary", offset: 0)
        }
        return entries
    }

    /// Writes a list with the given root, made of plain values.
    package static func bytes(ofRoot root: StoredValue, as encoding: Encoding) -> [UInt8] {
        switch encoding {
        case .xml: XMLPropertyListWriter.bytes(of: root)
        case .binary: BinaryPropertyListWriter.bytes(of: root)
        }
    }

    /// Writes a list whose root is the dictionary `entries`, made of plain values.
    package static func bytes(of entries: StoredDictionary, as encoding: Encoding) -> [UInt8] {
        bytes(ofRoot: .dictionary(entries), as: encoding)
    }
}
