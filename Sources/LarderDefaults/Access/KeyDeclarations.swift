public import LarderCore
import Synchronization

/// Notices in debug builds when one name is used with two types.
final class KeyDeclarations: Sendable {
    #if DEBUG
    private struct Declaration {
        let type: ObjectIdentifier
        let name: String
        var isReported = false
    }

    private let types = Mutex<[StoreKey: Declaration]>([:])
    #endif

    /// Notes the use of a key.
    ///
    /// An optional counts as what it wraps: `Int` and `Int?` are stored alike. A conflict is reported when one of the keys is
    /// read, which is when it does harm.
    func note<Value>(_ key: DefaultsKey<Value>, in store: any KeyValueStore, isRead: Bool = true) {
        #if DEBUG
        let type: Any.Type = (Value.T.self as? any OptionalValue.Type)?.wrappedType ?? Value.T.self
        let other = types.withLock { types -> String? in
            guard var known = types[StoreKey(key._key)] else {
                types[StoreKey(key._key)] = Declaration(type: ObjectIdentifier(type), name: "\(type)")
                return nil
            }
            guard isRead, known.type != ObjectIdentifier(type), !known.isReported else { return nil }
            known.isReported = true
            types[StoreKey(key._key)] = known
            return known.name
        }
        guard let other else { return }
        store.issues.report(
            LarderIssue(
                .conflictingKeys,
                "The name \(key._key.debugDescription) is used by a key of type \(other) and by one of type \(type): rename one.",
                key: key._key
            )
        )
        #endif
    }
}

extension LarderIssue.Code {
    /// Two keys have one name and different types; found in debug builds, once for each name and adapter.
    public static let conflictingKeys = LarderIssue.Code("conflictingKeys")
}

/// An optional whose wrapped type is not known.
protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
    var isNil: Bool { if case .none = self { true } else { false } }
}
