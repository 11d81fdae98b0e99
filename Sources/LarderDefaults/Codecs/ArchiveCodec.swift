import Foundation
import LarderCore

/// An `NSCoding` object, or an array or dictionary of them, as the bytes of a keyed archive.
///
/// Foundation ends the process where it could throw: on archiving what is not `NSCoding`, on unarchiving bytes that are no
/// archive, and on a class it does not find. So both directions are checked first.
struct ArchiveCodec<Value>: DefaultsCodec {
    /// What objects of the class hold in turn; see ``ArchiveClasses``.
    let others: [AnyClass]

    private var classes: ArchiveClasses { ArchiveClasses(for: Value.self, others: others) }

    func encode(_ value: Value) throws -> StoredValue {
        try Archive.check(value)
        let bytes = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
        // What could not be read again is not written.
        try KeyedArchive(bytes).check(classes)
        return .data(bytes)
    }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        guard case .data(let bytes) = stored else { throw notConvertible(stored) }
        let archive = try KeyedArchive(bytes)
        let classes = classes
        try archive.check(classes)
        guard let value = try archive.rootObject(of: bytes, classes) as? Value else { throw notConvertible(stored) }
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
        case is NSDecimalNumber:
            // Foundation for Linux recurses without end. Asked first, because it is a number to what follows.
            throw CoreError.IllegalArgument("Foundation can't archive a decimal number: store a Decimal.")
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
}
