import Foundation
import LarderCore

/// The classes that an archive may contain, determined by the type of its root object.
struct ArchiveClasses {
    /// The allowed classes other than Foundation's, keyed by class name.
    let own: [String: any NSCoding.Type]
    /// Whether the root object's class supports secure coding, in which case all other archived objects must support it too.
    let isSecure: Bool

    /// Determines the classes that an archive may contain if its root has the given type.
    ///
    /// - Parameters:
    ///   - type: A class that adopts `NSCoding`, or an array, set, dictionary or optional of such a class.
    ///   - others: Additional classes to allow if the root's class adopts `NSSecureCoding`.
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

/// An array, set, dictionary or optional whose element type is determined at run time.
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
