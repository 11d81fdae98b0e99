import Foundation
package import LarderCore

/// A property list as bytes: XML or binary, read and written without Foundation.
///
/// Foundation's readers end the process on some damaged files, take some damaged files for good ones, and can't say where the
/// damage is.
package enum PropertyListDocument {
    /// How the list is written down.
    enum Encoding: Sendable, Hashable {
        case xml
        case binary
    }

    /// How deep arrays and dictionaries may lie inside one another in a file that is read.
    static let maximumDepth = 128

    /// Which encoding the bytes begin like.
    static func encoding(of bytes: [UInt8]) -> Encoding { bytes.starts(with: Array("bplist".utf8)) ? .binary : .xml }

    /// The root of a list.
    ///
    /// - Throws: ``DocumentDamage``; ``StoreError`` with code `invalidConfiguration` for a list that may be good, in a form that is not
    ///   read here.
    package static func root(of bytes: [UInt8]) throws -> StoredValue {
        switch encoding(of: bytes) {
        case .binary: return try BinaryPropertyListReader(bytes).root()
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

    /// The bytes of a list whose root is the dictionary `entries`, made of plain values.
    static func bytes(of entries: StoredDictionary, as encoding: Encoding) -> [UInt8] {
        switch encoding {
        case .xml: XMLPropertyListWriter.bytes(of: .dictionary(entries))
        case .binary: BinaryPropertyListWriter.bytes(of: .dictionary(entries))
        }
    }
}
