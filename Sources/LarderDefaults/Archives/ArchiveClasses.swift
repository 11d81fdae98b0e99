import Foundation
import LarderCore

/// The classes that an archive of one type may name.
struct ArchiveClasses {
    /// By the name that archives give them, Foundation's own left out.
    let own: [String: any NSCoding.Type]
    /// Whether the type adopts `NSSecureCoding`, and with it everything in the archive.
    let isSecure: Bool

    /// The classes for archives of a type.
    ///
    /// - Parameters:
    ///   - type: The type of the root: a class that adopts `NSCoding`, or arrays, sets, dictionaries or optionals of one.
    ///   - others: What objects of that class hold in turn. They count for a class that adopts `NSSecureCoding` alone.
    init(for type: Any.Type, others: [AnyClass]) {
        let declared = Self.elementType(of: type) as? any NSCoding.Type
        isSecure = declared.map(Self.isSecure) ?? false
        let classes =
            [declared]
            + others.map { $0 as? any NSCoding.Type }.filter { [isSecure] in
                isSecure && $0.map(Self.isSecure) ?? false
            }
        own = Dictionary(
            classes.compactMap { type in
                guard let type, let classType = type as? AnyClass else { return nil }
                return (NSStringFromClass(classType), type)
            },
            uniquingKeysWith: { first, _ in first }
        )
    }

    private static func isSecure(_ type: any NSCoding.Type) -> Bool {
        (type as? any NSSecureCoding.Type)?.supportsSecureCoding ?? false
    }

    private static func elementType(of type: Any.Type) -> Any.Type {
        guard let container = type as? any ArchivedContainer.Type else { return type }
        return elementType(of: container.elementType)
    }
}

/// A container whose element type is not known.
private protocol ArchivedContainer {
    static var elementType: Any.Type { get }
}

extension Array: ArchivedContainer {
    fileprivate static var elementType: Any.Type { Element.self }
}

extension Set: ArchivedContainer {
    fileprivate static var elementType: Any.Type { Element.self }
}

extension Dictionary: ArchivedContainer {
    fileprivate static var elementType: Any.Type { Value.self }
}

extension Optional: ArchivedContainer {
    fileprivate static var elementType: Any.Type { Wrapped.self }
}
