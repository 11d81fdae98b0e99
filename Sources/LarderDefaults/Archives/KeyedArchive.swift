import Foundation
import LarderCore

/// A parsed keyed archive.
///
/// Parsing doesn't use Foundation, which crashes on some corrupt archives. Time and memory are linear in the size of the archive.
struct KeyedArchive {
    /// A value that an archived object encodes under a key.
    indirect enum Part {
        case bool(Bool)
        case int(Int64)
        case unsigned(UInt64)
        case real(Double)
        /// A date, in seconds since January 1, 2001.
        case date(Double)
        case data(Data)
        case text(String)
        /// A reference to an archived object. The associated value is an index in ``KeyedArchive/objects``.
        case reference(Int)
        case list([Part])
        case entries([String: Part])
    }

    /// An entry of the archive's `$objects` array.
    enum Object {
        /// The string "$null", which represents `nil`.
        case null
        /// A string, a number or a data value.
        case leaf(Part)
        case instance(class: String, parts: [String: Part])
        /// The description of a class. The associated value is the class name.
        case description(String)
    }

    /// The entries of the archive's `$objects` array, which references identify by index.
    ///
    /// The entry at index 0 is usually ``Object/null``.
    let objects: [Object]
    /// The index of the root object in ``objects``.
    let root: Int

    /// The maximum number of objects in an archive.
    static let maximumCount = 1_000_000
    /// The maximum nesting depth of the arrays and dictionaries in an archive.
    static let maximumDepth = 16

    /// Parses an archive in binary or XML format.
    ///
    /// - Parameter bytes: The bytes of the archive.
    /// - Throws: `CoreError.DataSerialization` if the bytes are not a valid archive.
    init(_ bytes: Data) throws {
        guard case .entries(let archive) = try Part(archive: bytes),
            case .text("NSKeyedArchiver")? = archive["$archiver"]
        else { throw Self.damaged("it is not marked as a keyed archive") }
        guard case .int(100_000)? = archive["$version"] else { throw Self.damaged("its format version is unknown") }
        guard case .entries(let top)? = archive["$top"], case .reference(let root)? = top[NSKeyedArchiveRootObjectKey],
            case .list(let parts)? = archive["$objects"], parts.indices.contains(root)
        else { throw Self.damaged("it has no root object") }
        guard parts.count <= Self.maximumCount else {
            throw Self.damaged("it contains more than \(Self.maximumCount) objects")
        }
        self.root = root
        objects = try parts.map { try Object($0, in: parts) }
    }

    static func damaged(_ reason: String) -> CoreError.DataSerialization {
        CoreError.DataSerialization("The keyed archive can't be read because \(reason).")
    }
}

extension KeyedArchive.Object {
    fileprivate init(_ part: KeyedArchive.Part, in parts: [KeyedArchive.Part]) throws {
        switch part {
        case .text("$null"): self = .null
        case .entries(let entries):
            if let reference = entries["$class"] {
                guard case .reference(let number) = reference, parts.indices.contains(number),
                    case .entries(let description) = parts[number], description["$class"] == nil
                else { throw KeyedArchive.damaged("it contains an object without a class") }
                self = .instance(class: try Self.name(description), parts: entries.filter { $0.key != "$class" })
            } else {
                self = .description(try Self.name(entries))
            }
        case .list, .reference: throw KeyedArchive.damaged("it contains a malformed object")
        default: self = .leaf(part)
        }
    }

    /// Returns the class name in a class description from the `$objects` array.
    ///
    /// If the description has a `$classes` list, the list must begin with the class itself.
    private static func name(_ description: [String: KeyedArchive.Part]) throws -> String {
        guard case .text(let name)? = description["$classname"] else {
            throw KeyedArchive.damaged("it contains a class without a name")
        }
        if let superclasses = description["$classes"] {
            guard case .list(let names) = superclasses, case .text(name)? = names.first else {
                throw KeyedArchive.damaged("the class \(name.debugDescription) has two names")
            }
        }
        return name
    }
}
