public import LarderCore
import Synchronization

/// A debug-build check that detects keys with the same name but different types.
final class KeyDeclarations: Sendable {
    #if DEBUG
    private struct Declaration {
        let type: ObjectIdentifier
        let name: String
        var isReported = false
    }

    private let types = Mutex<[StoreKey: Declaration]>([:])
    #endif

    /// Records the use of a key and, if the key is read, reports a conflict with another key of the same name.
    ///
    /// `Int` and `Int?` don't conflict, because they have the same stored form.
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
                "Keys of type \(other) and type \(type) share the name \(key._key.debugDescription). Rename one of them.",
                key: key._key
            )
        )
        #endif
    }
}

extension LarderIssue.Code {
    /// Two keys have the same name but different types.
    ///
    /// The conflict is reported in debug builds only, once for each name and adapter.
    public static let conflictingKeys = LarderIssue.Code("conflictingKeys")
}

/// An optional value whose wrapped type is not known at compile time.
protocol OptionalValue {
    static var wrappedType: Any.Type { get }
    var isNil: Bool { get }
}

extension Optional: OptionalValue {
    static var wrappedType: Any.Type { Wrapped.self }
    var isNil: Bool { if case .none = self { true } else { false } }
}
