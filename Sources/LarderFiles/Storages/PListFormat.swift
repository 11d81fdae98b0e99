import Foundation
import LarderCore

/// The format in which a file storage writes property lists.
///
/// Files in either format can be read.
public enum PListFormat: Sendable, Hashable {
    /// The XML format, which is human-readable.
    ///
    /// Dates are rounded to seconds, and writing a string with control characters throws an error.
    case xml
    /// The binary format, which is smaller and stores all values exactly.
    case binary

    var serialized: PropertyListSerialization.PropertyListFormat {
        switch self {
        case .xml: .xml
        case .binary: .binary
        }
    }

    var encoding: PropertyListDocument.Encoding {
        switch self {
        case .xml: .xml
        case .binary: .binary
        }
    }

    /// Throws an error if `content`, a property list in this format, can't be parsed.
    ///
    /// Foundation writes control characters to XML, although most of them are invalid in XML.
    func check(_ content: Data) throws {
        guard self == .xml, content.contains(where: { $0 < 32 && ![9, 10].contains($0) }) else { return }
        throw EncodingError.invalidValue(
            content,
            EncodingError.Context(
                codingPath: [],
                debugDescription:
                    "A string contains a control character, which XML can't represent. Use the binary format."
            )
        )
    }
}
