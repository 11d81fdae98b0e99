#if !canImport(ObjectiveC)
import Foundation
import LarderCore

/// A decoder for archives that ``KeyedArchive/check(_:)`` has accepted.
///
/// Unlike Foundation's unarchiver on non-Apple platforms, this decoder throws an error instead of crashing if an object in a dictionary
/// can't be decoded, if an `NSSecureCoding` class finds an unexpected class, or if objects form a cycle.
final class ArchiveDecoder: NSCoder {
    /// The decoding state of one object.
    private struct Context {
        let parts: [String: KeyedArchive.Part]
        /// The index of the next object to be decoded without a key.
        var next = 0
    }

    private let archive: KeyedArchive
    private let classes: ArchiveClasses
    private var contexts: [Context] = []
    private var decoded: [Int: Any] = [:]
    private var allowed: [[AnyClass]] = []
    private var failure: (any Error)?

    /// Creates a decoder for an archive that ``KeyedArchive/check(_:)`` has accepted.
    init(_ archive: KeyedArchive, _ classes: ArchiveClasses) {
        self.archive = archive
        self.classes = classes
        super.init()
    }

    /// Decodes the archive's root object.
    func rootObject() throws -> Any? {
        let listed = classes.own.values.compactMap { $0 as? AnyClass }
        let object = decode(archive.root, allowing: FoundationObject.classes + listed)
        if let failure { throw failure }
        return object
    }

    // MARK: - NSCoder

    override var allowsKeyedCoding: Bool { true }

    override var requiresSecureCoding: Bool { classes.isSecure }

    override var allowedClasses: [AnyClass]? { allowed.last }

    override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }

    override var error: (any Error)? { failure }

    override func failWithError(_ error: any Error) { failure = failure ?? error }

    private func fail(_ reason: String) {
        failure = failure ?? CoreError.DataSerialization("The keyed archive can't be decoded because \(reason).")
    }

    // MARK: - Objects

    override func containsValue(forKey key: String) -> Bool { part(key) != nil }

    override func decodeObject(forKey key: String) -> Any? {
        // Without a list of classes, secure coding allows only `FoundationObject.classes`.
        object(at: part(key), allowing: requiresSecureCoding ? FoundationObject.classes : nil)
    }

    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
        object(at: part(key), allowing: classes ?? FoundationObject.classes)
    }

    override func decodeObject<Object: NSObject & NSCoding>(of type: Object.Type, forKey key: String) -> Object? {
        decodeObject(of: [type], forKey: key) as? Object
    }

    override func decodeObject() -> Any? {
        guard let context = contexts.last else { return nil }
        contexts[contexts.count - 1].next += 1
        let part = context.parts["$\(context.next)"]
        return object(at: part, allowing: requiresSecureCoding ? FoundationObject.classes : nil)
    }

    override func decodePropertyList() -> Any? { decodeObject() }

    override func decodePropertyList(forKey key: String) -> Any? {
        decodeObject(of: FoundationObject.classes, forKey: key)
    }

    private func object(at part: KeyedArchive.Part?, allowing types: [AnyClass]?) -> Any? {
        switch part {
        case nil: return nil
        case .reference(let number): return decode(number, allowing: types)
        default:
            fail("it contains a number where an object is expected")
            return nil
        }
    }

    /// Returns the object at an index of the archive, decoding the object on the first call.
    private func decode(_ number: Int, allowing types: [AnyClass]?) -> Any? {
        guard failure == nil else { return nil }
        let object: Any?
        if let known = decoded[number] {
            object = known
        } else {
            if let types { allowed.append(types) }
            defer { if types != nil { allowed.removeLast() } }
            object = make(archive.objects[number], allowing: types)
            decoded[number] = object
        }
        guard let object, let types, requiresSecureCoding else { return object }
        let isAllowed = types.contains { type in
            (object as? NSObject)?.isKind(of: type) ?? (Swift.type(of: object) == type)
        }
        if !isAllowed { fail("it contains a \(Swift.type(of: object)) where one of \(types) is expected") }
        return isAllowed ? object : nil
    }

    private func make(_ object: KeyedArchive.Object, allowing types: [AnyClass]?) -> Any? {
        switch object {
        case .null: return nil
        case .leaf(let part): return Self.object(of: part)
        case .description:
            fail("it contains a class where an object is expected")
            return nil
        case .instance(let name, let parts):
            if let type = FoundationObject(rawValue: name) {
                guard let content = type.content(of: parts), let made = make(content, of: type, allowing: types) else {
                    fail("an object of class \(name) can't be decoded")
                    return nil
                }
                return made
            }
            guard let type = classes.own[name] else {
                fail("the class \(name) is not allowed")
                return nil
            }
            contexts.append(Context(parts: parts))
            defer { contexts.removeLast() }
            let made = type.init(coder: self)
            if made == nil { fail("an object of class \(name) can't be decoded") }
            return made
        }
    }

    private func make(
        _ content: FoundationObject.Content,
        of type: FoundationObject,
        allowing types: [AnyClass]?
    ) -> Any? {
        switch content {
        case .elements(let numbers):
            guard let elements = all(numbers, allowing: types) else { return nil }
            switch type {
            case .mutableArray: return NSMutableArray(array: elements)
            case .set: return NSSet(array: elements)
            case .mutableSet: return NSMutableSet(array: elements)
            default: return NSArray(array: elements)
            }
        case .entries(let keys, let values):
            // Keys are always Foundation objects, even if the values have another class.
            guard let keys = all(keys, allowing: nil), let values = all(values, allowing: types) else { return nil }
            let entries = NSMutableDictionary()
            for case (let key as NSObject, let value) in zip(keys, values) { entries.setObject(value, forKey: key) }
            return type == .mutableDictionary ? entries : entries.copy()
        case .text(let text):
            return type == .mutableString ? NSMutableString(string: text) : text as AnyObject
        case .data(let bytes): return type == .mutableData ? NSMutableData(data: bytes) : NSData(data: bytes)
        case .date(let seconds): return NSDate(timeIntervalSinceReferenceDate: seconds)
        case .url(let relative, let base):
            guard case .leaf(.text(let text)) = archive.objects[relative] else { return nil }
            let base = base.flatMap { decode($0, allowing: [NSURL.self]) as? URL }
            // Created from a `URL`: Foundation accepts more strings for an `NSURL`, and ends the process when such an object is cast to
            // `URL`.
            return URL(string: text, relativeTo: base).map { $0 as NSURL }
        case .uuid(let uuid): return uuid as NSUUID
        case .null: return NSNull()
        }
    }

    /// Decodes the objects at the given indexes of the archive, or returns `nil` if one of the objects can't be decoded.
    private func all(_ numbers: [Int], allowing types: [AnyClass]?) -> [Any]? {
        let objects = numbers.compactMap { decode($0, allowing: types) }
        return objects.count == numbers.count ? objects : nil
    }

    private static func object(of leaf: KeyedArchive.Part) -> Any? {
        switch leaf {
        case .text(let text): text as AnyObject
        case .data(let bytes): NSData(data: bytes)
        case .bool(let value): NSNumber(value: value)
        case .int(let number): NSNumber(value: number)
        case .unsigned(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .date(let seconds): NSDate(timeIntervalSinceReferenceDate: seconds)
        case .reference, .list, .entries: nil
        }
    }

    // MARK: - Values

    override func decodeBool(forKey key: String) -> Bool {
        switch part(key) {
        case .bool(let value): value
        case .int(let number): number != 0
        default: false
        }
    }

    override func decodeCInt(forKey key: String) -> Int32 { Int32(truncatingIfNeeded: integer(key)) }
    override func decodeInt32(forKey key: String) -> Int32 { Int32(truncatingIfNeeded: integer(key)) }
    override func decodeInt64(forKey key: String) -> Int64 { integer(key) }
    override func decodeInteger(forKey key: String) -> Int { Int(truncatingIfNeeded: integer(key)) }
    override func decodeFloat(forKey key: String) -> Float { Float(real(key)) }
    override func decodeDouble(forKey key: String) -> Double { real(key) }

    private func integer(_ key: String) -> Int64 {
        switch part(key) {
        case .bool(let value): value ? 1 : 0
        case .int(let number): number
        case .unsigned(let number): Int64(truncatingIfNeeded: number)
        case .real(let number): Int64(exactly: number.rounded(.towardZero)) ?? 0
        default: 0
        }
    }

    private func real(_ key: String) -> Double {
        switch part(key) {
        case .bool(let value): value ? 1 : 0
        case .int(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .real(let number): number
        default: 0
        }
    }

    override func withDecodedUnsafeBytes<Result>(
        forKey key: String,
        body: (UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        guard case .data(let bytes)? = part(key) else { return try body(nil) }
        return try bytes.withUnsafeBytes { try body($0) }
    }

    override func withDecodedUnsafeBufferPointer<Result>(
        forKey key: String,
        body: (UnsafeBufferPointer<UInt8>?) throws -> Result
    ) rethrows -> Result {
        try withDecodedUnsafeBytes(forKey: key) { try body($0?.assumingMemoryBound(to: UInt8.self)) }
    }

    /// Always fails, because the type of a value without a key is unknown.
    override func decodeValue(ofObjCType type: UnsafePointer<Int8>, at data: UnsafeMutableRawPointer) {
        fail("it contains a value without a key")
    }

    private func part(_ key: String) -> KeyedArchive.Part? {
        // The archiver adds a dollar sign to keys that could be mistaken for its own.
        contexts.last?.parts[key.hasPrefix("$") ? "$" + key : key]
    }
}
#endif
