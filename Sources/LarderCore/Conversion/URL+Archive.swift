#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension URL {
    /// Creates a URL from a keyed archive of an `NSURL`, or returns `nil` if the data is not an archive of an `NSURL`.
    ///
    /// `UserDefaults.set(_: URL?, forKey:)` stores URLs in this form on Apple platforms. `PropertyListDecoder` can't read object
    /// references, and `NSKeyedUnarchiver` crashes on some input, so this initializer resolves the references itself. The number of
    /// references is limited, so that no input causes a trap or an endless loop.
    init?(keyedArchive data: Data) {
        // A caller may read any data as a URL, so an invalid archive is not an error.
        guard PropertyListDocument.encoding(of: data) == .binary,
            case .dictionary(let archive)? = try? PropertyListDocument.root(of: [UInt8](data), isArchive: true),
            archive["$archiver"] == "NSKeyedArchiver",
            case .array(let objects)? = archive["$objects"], case .dictionary(let top)? = archive["$top"],
            let url = URL(top["root"], in: objects, bases: 2)
        else { return nil }
        self = url.absoluteURL
    }

    private init?(_ reference: StoredValue?, in objects: [StoredValue], bases: Int) {
        func object(_ reference: StoredValue?) -> StoredValue? {
            guard case .dictionary(let entries)? = reference, entries.count == 1,
                case .int(let number)? = entries[PropertyListDocument.referenceKey],
                let index = Int(exactly: number), objects.indices.contains(index)
            else { return nil }
            return objects[index]
        }
        guard case .dictionary(let archived)? = object(reference),
            case .dictionary(let type)? = object(archived["$class"]), type["$classname"] == "NSURL",
            case .string(let relative)? = object(archived["NS.relative"]), let base = object(archived["NS.base"])
        else { return nil }
        if base == "$null" {
            self.init(string: relative)
        } else {
            guard bases > 0, let base = URL(archived["NS.base"], in: objects, bases: bases - 1) else { return nil }
            self.init(string: relative, relativeTo: base)
        }
    }
}
