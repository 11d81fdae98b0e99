/// A namespace for functions that read and write XML and binary property lists without Foundation.
///
/// Foundation's readers crash on some corrupt files, accept others as valid, and do not report the offset of the corruption.
package enum PropertyListDocument {
    /// The file format of a property list.
    package enum Encoding: Sendable, Hashable {
        case xml
        case binary
    }

    /// The maximum nesting depth of arrays and dictionaries in a file.
    static let maximumDepth = 128
    /// The dictionary key that marks an object reference of a keyed archive, as in XML property lists.
    package static let referenceKey = "CF$UID"

    /// Returns the file format of a property list, as indicated by its first bytes.
    package static func encoding(of bytes: some Sequence<UInt8>) -> Encoding {
        bytes.starts(with: "bplist".utf8) ? .binary : .xml
    }

    /// Parses a property list and returns its root.
    ///
    /// - Parameters:
    ///   - bytes: The complete property list.
    ///   - isArchive: Whether to accept the object references of a keyed archive, each as a dictionary that maps ``referenceKey`` to the
    ///     index of an object. Otherwise, object references are rejected.
    /// - Returns: The root value, including all nested values.
    /// - Throws: ``DocumentDamage`` if the property list is corrupt; ``StoreError`` with code `invalidConfiguration` if it is a keyed
    ///   archive (unless `isArchive` is `true`) or not encoded in UTF-8.
    package static func root(of bytes: [UInt8], isArchive: Bool = false) throws -> StoredValue {
        switch encoding(of: bytes) {
        case .binary: return try BinaryPropertyListReader(bytes, isArchive: isArchive).root()
        case .xml:
            try XMLEncoding.check(
                bytes,
                advice:
                    "Convert a copy with `plutil -convert xml1`, or read it with Foundation's PropertyListSerialization and write it again"
            )
            var reader = XMLPropertyListReader(bytes)
            return try reader.root()
        }
    }

    /// Parses a property list whose root is a dictionary, and returns the entries.
    ///
    /// - Throws: The same errors as ``root(of:isArchive:)``; also ``DocumentDamage`` if the root is not a dictionary.
    package static func entries(of bytes: [UInt8]) throws -> StoredDictionary {
        guard case .dictionary(let entries) = try root(of: bytes) else {
            throw DocumentDamage(reason: "its root is not a dictionary", offset: 0)
        }
        return entries
    }

    /// Returns the bytes of a property list with the given root.
    ///
    /// The root must contain only kinds of values that property lists support.
    package static func bytes(ofRoot root: StoredValue, as encoding: Encoding) -> [UInt8] {
        switch encoding {
        case .xml: XMLPropertyListWriter.bytes(of: root)
        case .binary: BinaryPropertyListWriter.bytes(of: root)
        }
    }

    /// Returns the bytes of a property list whose root is the dictionary `entries`.
    ///
    /// The dictionary must contain only kinds of values that property lists support.
    package static func bytes(of entries: StoredDictionary, as encoding: Encoding) -> [UInt8] {
        bytes(ofRoot: .dictionary(entries), as: encoding)
    }
}
