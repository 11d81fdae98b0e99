import Foundation
import LarderDefaults

/// A class that adopts only `NSCoding` and decodes every kind of value that an archive can contain.
final class ArchivedPond: NSObject, NSCoding {
    var frogs: [ArchivedPond] = []
    var names: [String: Int] = ["a": 1, "b": 2]
    var tags: Set<String> = ["x"]
    var depth = 1.5
    var count = 3
    var isDeep = true
    var since = Date(timeIntervalSinceReferenceDate: 7)
    var page = URL(string: "page", relativeTo: URL(string: "https://example.com/a/"))
    var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var bytes = Data([1, 2, 3])
    var title = "title"
    var other: ArchivedPond?

    override init() {}

    init?(coder: NSCoder) {
        guard coder.allowsKeyedCoding, coder.containsValue(forKey: "count") else { return nil }
        frogs = coder.decodeObject(forKey: "frogs") as? [ArchivedPond] ?? []
        names =
            coder.decodeObject(of: [NSDictionary.self, NSString.self, NSNumber.self], forKey: "names") as? [String: Int]
            ?? [:]
        tags = coder.decodeObject(forKey: "tags") as? Set<String> ?? []
        depth = coder.decodeDouble(forKey: "depth")
        count = coder.decodeInteger(forKey: "count") + Int(coder.decodeInt32(forKey: "count32"))
        isDeep = coder.decodeBool(forKey: "isDeep") && coder.decodeFloat(forKey: "float") > 0
        since = coder.decodeObject(forKey: "since") as? Date ?? .distantPast
        page = coder.decodeObject(of: NSURL.self, forKey: "page").map { $0 as URL }
        guard let id = coder.decodeObject(forKey: "id") as? UUID else { return nil }
        self.id = id
        bytes = coder.withDecodedUnsafeBytes(forKey: "bytes") { $0.map { Data($0) } ?? Data() }
        title = coder.decodeObject(forKey: "title") as? String ?? ""
        other = coder.decodeObject(forKey: "other") as? ArchivedPond
        _ = coder.decodeInt64(forKey: "missing")
        _ = coder.decodePropertyList(forKey: "names")
    }

    func encode(with coder: NSCoder) {
        coder.encode(frogs, forKey: "frogs")
        coder.encode(names, forKey: "names")
        coder.encode(tags, forKey: "tags")
        coder.encode(depth, forKey: "depth")
        coder.encode(count, forKey: "count")
        coder.encode(isDeep, forKey: "isDeep")
        coder.encode(Float(0.5), forKey: "float")
        coder.encode(since, forKey: "since")
        coder.encode(page, forKey: "page")
        coder.encode(id, forKey: "id")
        Array(bytes).withUnsafeBufferPointer { coder.encodeBytes($0.baseAddress, length: $0.count, forKey: "bytes") }
        coder.encode(NSMutableString(string: title), forKey: "title")
        coder.encode(other, forKey: "other")
    }
}

extension ArchivedPond: DefaultsSerializable {
    static var _defaults: DefaultsBridge<ArchivedPond> { DefaultsKeyedArchiverBridge() }
}

/// A class that decodes securely and contains an object of another class.
final class SecureFrog: NSObject, NSSecureCoding, DefaultsSerializable {
    static var supportsSecureCoding: Bool { true }
    static var _defaults: DefaultsBridge<SecureFrog> { DefaultsKeyedArchiverBridge(classes: [SecureLeg.self]) }

    let name: String
    let legs: [SecureLeg]
    private(set) var wasSecure = false

    init(name: String, legs: [SecureLeg] = []) {
        self.name = name
        self.legs = legs
    }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
        self.name = String(describing: name)
        legs = coder.decodeObject(of: [NSArray.self, SecureLeg.self], forKey: "legs") as? [SecureLeg] ?? []
        wasSecure = coder.requiresSecureCoding && coder.allowedClasses != nil
    }

    func encode(with coder: NSCoder) {
        coder.encode(name, forKey: "name")
        coder.encode(legs, forKey: "legs")
    }
}

final class SecureLeg: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let length: Double

    init(length: Double) { self.length = length }
    init?(coder: NSCoder) { length = coder.decodeDouble(forKey: "length") }
    func encode(with coder: NSCoder) { coder.encode(length, forKey: "length") }
}
