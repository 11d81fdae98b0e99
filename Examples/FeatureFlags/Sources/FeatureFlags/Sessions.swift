import LarderCore
import LarderReplication

/// The sessions of users, which every instance reads and which expire by the clock of the cluster.
package struct Sessions: Sendable {
    /// The prefix of the keys of all sessions.
    package static let prefix = "session."

    private let store: ReplicatedStore

    package init(_ store: ReplicatedStore) { self.store = store }

    /// Begins a session, and returns its identifier.
    ///
    /// The cluster has the session, and this instance knows it, when this call returns. Other instances know it milliseconds later.
    package func begin(for user: String, lasting seconds: Double) async throws -> String {
        // 128 bits of the system's random numbers, which can't be guessed.
        let id = (0..<2).map { _ in Self.hexadecimal(UInt64.random(in: 0 ... .max)) }.joined()
        try await store.setReplicated(
            .string(user),
            for: StoreKey(Self.prefix + id),
            expiringAfter: .seconds(seconds)
        )
        return id
    }

    /// Returns the user of a session, or `nil` if the session has expired or never existed.
    package func user(of id: String) throws -> String? {
        // An identifier comes from a request, so it may be anything.
        guard id.utf8.count == 32, id.allSatisfy({ $0.isHexDigit && $0.isASCII }) else { return nil }
        guard case .string(let user)? = try store.get(StoreKey(Self.prefix + id)) else { return nil }
        return user
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
