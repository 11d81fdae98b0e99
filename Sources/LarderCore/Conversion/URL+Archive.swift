#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension URL {
    /// The URL in a keyed archive of an `NSURL`, which is how `UserDefaults.set(_: URL?, forKey:)` keeps one on Apple platforms.
    ///
    /// `PropertyListDecoder` cannot read an archive's object references and `NSKeyedUnarchiver` ends the process on some bytes,
    /// so this reads the few parts of a binary property list that matter here. Every offset and count is checked before it is
    /// used, and it follows a bounded number of references: no input makes it trap, loop or allocate more than it holds.
    init?(keyedArchive data: Data) {
        guard let list = BinaryPropertyList(data),
            list.text(list.value("$archiver", in: list.root)) == "NSKeyedArchiver",
            let objects = list.value("$objects", in: list.root),
            let top = list.value("$top", in: list.root),
            let root = list.value("root", in: top),
            let archived = list.referenced(by: root, in: objects),
            let url = URL(archived, in: list, objects: objects, bases: 2)
        else { return nil }
        self = url.absoluteURL
    }

    private init?(_ archived: Int, in list: BinaryPropertyList, objects: Int, bases: Int) {
        func part(_ key: String, of object: Int) -> Int? {
            list.value(key, in: object).flatMap { list.referenced(by: $0, in: objects) }
        }
        guard let type = part("$class", of: archived), list.text(list.value("$classname", in: type)) == "NSURL",
            let relative = list.text(part("NS.relative", of: archived)), let base = part("NS.base", of: archived)
        else { return nil }
        if list.text(base) == "$null" {
            self.init(string: relative)
        } else {
            guard bases > 0, let base = URL(base, in: list, objects: objects, bases: bases - 1) else { return nil }
            self.init(string: relative, relativeTo: base)
        }
    }
}
