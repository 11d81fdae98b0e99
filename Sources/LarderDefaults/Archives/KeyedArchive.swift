import Foundation
import LarderCore

/// A keyed archive, read without Foundation, which ends the process on some damaged ones.
///
/// Its bytes are bounded work: nothing is kept twice that stands in them once.
struct KeyedArchive {
    /// What stands under a key of an archived object.
    indirect enum Part {
        case bool(Bool)
        case int(Int64)
        case unsigned(UInt64)
        case real(Double)
        /// Seconds since the reference date.
        case date(Double)
        case data(Data)
        case text(String)
        /// Another object of the archive, by its number.
        case reference(Int)
        case list([Part])
        case entries([String: Part])
    }

    /// One object of the archive.
    enum Object {
        /// The text that stands for nil.
        case null
        /// A text, a number or bytes.
        case leaf(Part)
        case instance(class: String, parts: [String: Part])
        /// What a class is called.
        case description(String)
    }

    /// By number; number 0 is ``Object/null`` as a rule.
    let objects: [Object]
    /// The number of the object that was archived.
    let root: Int

    /// How many objects an archive may hold.
    static let maximumCount = 1_000_000
    /// How deep property list containers may lie inside one another.
    static let maximumDepth = 16

    /// Reads an archive, binary or XML.
    ///
    /// - Parameter bytes: What is stored.
    /// - Throws: `CoreError.DataSerialization`, saying what is wrong.
    init(_ bytes: Data) throws {
        guard case .entries(let archive) = try Part(archive: bytes),
            case .text("NSKeyedArchiver")? = archive["$archiver"]
        else { throw Self.damaged("it does not say that it is one") }
        guard case .int(100_000)? = archive["$version"] else { throw Self.damaged("its version is unknown") }
        guard case .entries(let top)? = archive["$top"], case .reference(let root)? = top[NSKeyedArchiveRootObjectKey],
            case .list(let parts)? = archive["$objects"], parts.indices.contains(root)
        else { throw Self.damaged("it has no root") }
        guard parts.count <= Self.maximumCount else {
            throw Self.damaged("it holds more than \(Self.maximumCount) objects")
        }
        self.root = root
        objects = try parts.map { try Object($0, in: parts) }
    }

    static func damaged(_ reason: String) -> CoreError.DataSerialization {
        CoreError.DataSerialization("This keyed archive can't be read: \(reason).")
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
                else { throw KeyedArchive.damaged("an object has no class") }
                self = .instance(class: try Self.name(description), parts: entries.filter { $0.key != "$class" })
            } else {
                self = .description(try Self.name(entries))
            }
        case .list, .reference: throw KeyedArchive.damaged("an object is none")
        default: self = .leaf(part)
        }
    }

    /// What a class is called, which its list of superclasses must begin with.
    private static func name(_ description: [String: KeyedArchive.Part]) throws -> String {
        guard case .text(let name)? = description["$classname"] else {
            throw KeyedArchive.damaged("a class has no name")
        }
        if let superclasses = description["$classes"] {
            guard case .list(let names) = superclasses, case .text(name)? = names.first else {
                throw KeyedArchive.damaged("the class \(name.debugDescription) has two names")
            }
        }
        return name
    }
}
