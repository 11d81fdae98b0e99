import Foundation
import LarderCore

/// A codec that encodes `NSCoding` objects, or containers of such objects, as keyed archives.
///
/// Values and archives are checked first, because Foundation crashes on values that don't adopt `NSCoding`, on bytes that are not an
/// archive, and on unknown classes.
struct ArchiveCodec<Value>: DefaultsCodec {
    /// The classes that an archive may contain in addition to the class of the value.
    let others: [AnyClass]

    private var classes: ArchiveClasses { ArchiveClasses(for: Value.self, others: others) }

    func encode(_ value: Value) throws -> StoredValue {
        try Archive.check(value)
        let bytes = try NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: false)
        // Checks that the archive can be decoded again, before it is written.
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

/// A namespace for functions that check values before archiving, because Foundation's archiver crashes on unsupported values.
enum Archive {
    /// Checks that Foundation can archive a value.
    ///
    /// - Parameter value: The root object to archive.
    /// - Throws: `CoreError.IllegalArgument` if Foundation can't archive the value.
    static func check(_ value: Any) throws {
        switch value {
        case is NSDecimalNumber:
            // Foundation on Linux recurses forever. Checked first, because the cases below would accept it as a number.
            throw CoreError.IllegalArgument("Foundation can't archive an NSDecimalNumber. Store a Decimal instead.")
        case let elements as [Any]: for element in elements { try check(element) }
        case let entries as [String: Any]: for value in entries.values { try check(value) }
        case is String, is Data, is Date, is URL, is UUID, is Bool, is Double, is Float, is any BinaryInteger: break
        default: try check(object: value)
        }
    }

    private static func check(object value: Any) throws {
        let type = type(of: value)
        // Checks for a class first: `as? NSCoding` alone would box a struct.
        guard let classType = type as? AnyClass, classType is any NSCoding.Type else {
            throw CoreError.IllegalArgument(
                "A value of type \(type) can't be archived, because the type is not a class that adopts NSCoding. Make the type Codable, or write a bridge."
            )
        }
        guard isTopLevel(classType) else {
            throw CoreError.IllegalArgument(
                "Foundation can't archive the class \(String(reflecting: type)), because it is nested, generic or private. Declare it as a nongeneric class at the top level."
            )
        }
    }

    /// Returns whether a class is declared at the top level and is not generic, so that its full name has the form "Module.Class".
    private static func isTopLevel(_ type: AnyClass) -> Bool {
        String(reflecting: type).split(separator: ".", omittingEmptySubsequences: false).count == 2
    }
}
