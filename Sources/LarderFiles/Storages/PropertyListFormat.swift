import Foundation
import LarderCore

/// How a property list is written.
///
/// Both are read, whichever was chosen.
public enum PropertyListFormat: Sendable, Hashable {
    /// Text that people can read. Dates are kept to the second only, and strings with control characters are refused.
    case xml
    /// Smaller and exact.
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

    /// Throws when what was just written in this format could not be read again.
    ///
    /// XML has no way to write most control characters, and Foundation writes them all the same.
    func check(_ content: Data) throws {
        guard self == .xml, content.contains(where: { $0 < 32 && ![9, 10].contains($0) }) else { return }
        throw EncodingError.invalidValue(
            content,
            EncodingError.Context(
                codingPath: [],
                debugDescription: "A string has a control character in it, which XML can't hold: use the binary format."
            )
        )
    }
}
