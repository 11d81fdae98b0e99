import LarderCore
import LarderDefaults
import LarderReplication

/// A flag as requests and pages show it.
package struct FlagState: Codable, Sendable, Hashable {
    /// The name, which is the key in the store without the prefix.
    package let name: String
    /// The value as text.
    package let value: String
}

/// A request that names no flag, or a value of the wrong type.
package struct InvalidFlag: Error, Sendable, CustomStringConvertible {
    package let description: String
}

/// The flags of one instance, by their names.
///
/// Code of the service reads `board.flags.newCheckout`, which is typed and takes nanoseconds. The methods here are for pages and requests,
/// which know flags by name only.
package struct FlagBoard: Sendable {
    /// The prefix of the keys of all flags.
    package static let prefix = "flag."

    /// The flags with their types.
    package let flags: DefaultsAdapter<Flags>
    private let store: ReplicatedStore

    package init(_ store: ReplicatedStore) {
        self.store = store
        flags = DefaultsAdapter(store: store, keyStore: Flags())
    }

    /// All flags, in the order of their declaration.
    package var all: [FlagState] {
        [
            FlagState(name: "newCheckout", value: "\(flags.newCheckout)"),
            FlagState(name: "resultsPerPage", value: "\(flags.resultsPerPage)"),
            FlagState(name: "banner", value: flags.banner),
        ]
    }

    /// Sets a flag on this machine.
    ///
    /// The other machines follow when the cluster has the write.
    package func set(_ name: String, to text: String) throws {
        switch try value(text, of: name) {
        case .bool(let isOn): try flags.write(\.newCheckout, isOn)
        case .int(let number): try flags.write(\.resultsPerPage, Int(number))
        case .string(let text): try flags.write(\.banner, text)
        default: break
        }
    }

    /// Sets a flag in the cluster, and returns when every machine will see it sooner or later.
    package func setConfirmed(_ name: String, to text: String) async throws {
        try await store.set(value(text, of: name), for: Self.key(name), durability: .replicated)
    }

    /// Sets a flag if it has a value as far as this machine knows.
    ///
    /// The cluster may refuse the write later.
    ///
    /// - Returns: `true` if the flag had the expected value here.
    package func replace(_ expected: String, by text: String, in name: String) throws -> Bool {
        try store.compareAndSet(Self.key(name), expecting: value(expected, of: name), to: value(text, of: name))
    }

    /// Returns the flags that an event of the store is about.
    package func flags(changedBy event: StoreEvent) -> [FlagState] {
        switch event {
        case .change(let change):
            let keys = Set(change.entries.map(\.key))
            return all.filter { keys.contains(Self.prefix + $0.name) }
        // The changes themselves are not known any more, so every flag may have changed.
        case .missed: return all
        }
    }

    private static func key(_ name: String) -> StoreKey { StoreKey(prefix + name) }

    /// Parses a value of the type that the flag has.
    private func value(_ text: String, of name: String) throws -> StoredValue {
        switch name {
        case "newCheckout":
            guard let isOn = Bool(text) else { throw InvalidFlag(description: "newCheckout is true or false.") }
            return .bool(isOn)
        case "resultsPerPage":
            guard let number = Int64(text), (1...100).contains(number) else {
                throw InvalidFlag(description: "resultsPerPage is a number from 1 to 100.")
            }
            return .int(number)
        case "banner":
            guard text.count <= 200 else { throw InvalidFlag(description: "banner has at most 200 characters.") }
            return .string(text)
        default: throw InvalidFlag(description: "There is no such flag.")
        }
    }
}
