import Foundation
import LarderCore
import Synchronization

/// A transaction in progress and the keys that it has read or written.
///
/// Writing one of these keys through an adapter from the same thread throws an error, because the transaction would conflict with itself on
/// every retry.
final class RunningTransaction: Sendable {
    private struct State {
        var keys: Set<StoreKey> = []
        var refusal: DefaultsError?
    }

    /// The running transactions of each thread, outermost first.
    private static let running = Mutex<[ObjectIdentifier: [RunningTransaction]]>([:])
    private static let count = Atomic<Int>(0)
    /// Whether any transaction is running in this process.
    static var areAny: Bool { count.load(ordering: .relaxed) > 0 }

    private let place: KeyClaims.Place
    private let state = Mutex(State())

    private init(in place: KeyClaims.Place) { self.place = place }

    /// Runs `body` in a new transaction that is registered with the current thread while `body` runs.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: An error thrown by `body`, or the first error thrown by ``refuse(_:in:)``, even if `body` caught it.
    static func run<Result>(
        in place: KeyClaims.Place,
        _ body: (RunningTransaction) throws -> Result
    ) throws -> Result {
        let transaction = RunningTransaction(in: place)
        let thread = ObjectIdentifier(Thread.current)
        count.add(1, ordering: .relaxed)
        running.withLock { $0[thread, default: []].append(transaction) }
        defer {
            running.withLock { running in
                running[thread]?.removeLast()
                if running[thread]?.isEmpty == true { running[thread] = nil }
            }
            count.subtract(1, ordering: .relaxed)
        }
        let result = try body(transaction)
        if let refusal = transaction.state.withLock(\.refusal) { throw refusal }
        return result
    }

    /// Records that the transaction has read or written the given keys.
    func note(_ keys: [StoreKey]) { state.withLock { $0.keys.formUnion(keys) } }

    /// Throws an error if a running transaction of this thread has read or written one of the given keys.
    ///
    /// - Throws: ``DefaultsError`` with code `nestedWrite`. The transaction throws the same error when its body returns.
    static func refuse(_ keys: [StoreKey], in place: KeyClaims.Place) throws {
        // `areAny` is never `false` while a transaction runs on this thread.
        guard areAny else { return }
        let thread = ObjectIdentifier(Thread.current)
        for transaction in running.withLock({ $0[thread] ?? [] }) where transaction.place == place {
            try transaction.refuse(keys)
        }
    }

    private func refuse(_ keys: [StoreKey]) throws {
        let refusal = state.withLock { state -> DefaultsError? in
            guard let key = keys.first(where: { state.keys.contains($0) }) else { return nil }
            let refusal = DefaultsError.nestedWrite(key.text)
            state.refusal = state.refusal ?? refusal
            return refusal
        }
        if let refusal { throw refusal }
    }
}
