#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension URL {
    /// The URL in a keyed archive of an `NSURL`, which is how `UserDefaults.set(_: URL?, forKey:)` keeps one on Apple platforms.
    ///
    /// `PropertyListDecoder` cannot read an archive's object references and `NSKeyedUnarchiver` ends the process on some bytes,
    /// so this follows the few references that matter here, a bounded number of them: no input makes it trap or loop.
    init?(keyedArchive data: Data) {
        // Any data may be asked for as a URL: what is no archive, or a damaged one, does not convert.
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
