import Foundation
import LarderCore

/// An `NSCoding` object, or an array or dictionary of them, as the bytes of a keyed archive.
///
/// Foundation ends the process where it could throw: on archiving what is not `NSCoding`, on unarchiving bytes that are no
/// archive, and on a class it does not find. So both directions are checked first.
struct ArchiveCodec<Value>: DefaultsCodec {
    func encode(_ value: Value) throws -> StoredValue {
        try Archive.check(value)
        return .data(try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false))
    }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        guard case .data(let bytes) = stored else { throw notConvertible(stored) }
        try Archive.check(bytes: bytes)
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: bytes)
        unarchiver.requiresSecureCoding = false
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        defer { unarchiver.finishDecoding() }
        let object = unarchiver.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
        if let error = unarchiver.error {
            throw CoreError.DataSerialization("The archive can't be decoded.", underlying: error)
        }
        guard let value = object as? Value else { throw notConvertible(stored) }
        return Conversion(value)
    }
}

/// What Foundation's archiver takes without ending the process.
enum Archive {
    /// Makes sure that a value can be archived.
    ///
    /// - Parameter value: The root of what is to be archived.
    /// - Throws: `CoreError.IllegalArgument`, saying what can't and what to do.
    static func check(_ value: Any) throws {
        switch value {
        case let elements as [Any]: for element in elements { try check(element) }
        case let entries as [String: Any]: for value in entries.values { try check(value) }
        case is String, is Data, is Date, is URL, is UUID, is Bool, is Double, is Float, is any BinaryInteger: break
        default: try check(object: value)
        }
    }

    private static func check(object value: Any) throws {
        let type = type(of: value)
        // `as? NSCoding` alone would box a struct; a class is asked for first.
        guard let classType = type as? AnyClass, classType is any NSCoding.Type else {
            throw CoreError.IllegalArgument(
                "\(type) is not a class that adopts NSCoding, and can't be archived: make it Codable, or write a bridge."
            )
        }
        guard isTopLevel(classType) else {
            throw CoreError.IllegalArgument(
                "\(String(reflecting: type)) is nested, generic or private, and Foundation can't archive it: declare it at the top level."
            )
        }
    }

    /// Whether Foundation can name the class: "Module.Class" and nothing more.
    private static func isTopLevel(_ type: AnyClass) -> Bool {
        String(reflecting: type).split(separator: ".", omittingEmptySubsequences: false).count == 2
    }

    /// Makes sure that bytes are a keyed archive whose classes are all known and adopt `NSCoding`.
    ///
    /// - Parameter bytes: What is stored.
    /// - Throws: `CoreError.DataSerialization`, saying what is wrong.
    static func check(bytes: Data) throws {
        guard bytes.starts(with: Data("bplist00".utf8)) else {
            throw CoreError.DataSerialization("These bytes are no keyed archive.")
        }
        let root: Any
        do {
            root = try PropertyListSerialization.propertyList(from: bytes, options: [], format: nil)
        } catch {
            throw CoreError.DataSerialization("This keyed archive is damaged.", underlying: error)
        }
        guard
            let archive = root as? [String: Any], archive["$archiver"] as? String == "NSKeyedArchiver",
            let top = archive["$top"] as? [String: Any], top[NSKeyedArchiveRootObjectKey] != nil,
            let objects = archive["$objects"] as? [Any]
        else {
            throw CoreError.DataSerialization("These bytes are a property list and no keyed archive.")
        }
        for case let description as [String: Any] in objects {
            guard let names = description["$classes"] as? [String] else { continue }
            // Foundation takes the first of a class and its superclasses that it finds.
            guard names.lazy.compactMap(NSClassFromString).first is any NSCoding.Type else {
                throw CoreError.DataSerialization(
                    "This program can't unarchive a \(names.first ?? "class without a name")."
                )
            }
        }
    }
}
