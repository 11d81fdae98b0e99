import Foundation
import LarderCore
import Synchronization

/// A transaction whose body runs, and the keys that it has read or written.
///
/// A body that writes one of these keys through an adapter would make its own transaction run again, and so without end. Such a write is
/// refused instead. Other threads are not: what they write makes the body run again once.
final class RunningTransaction: Sendable {
    private struct State {
        var keys: Set<StoreKey> = []
        var refusal: DefaultsError?
    }

    /// The transactions whose bodies run, the outermost first, by thread.
    private static let running = Mutex<[ObjectIdentifier: [RunningTransaction]]>([:])
    /// How many bodies run: if none does, no write looks further.
    private static let count = Atomic<Int>(0)

    private let place: KeyClaims.Place
    private let state = Mutex(State())

    private init(in place: KeyClaims.Place) { self.place = place }

    /// Runs the body of a transaction.
    ///
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw, or the first error of ``refuse(_:in:)``, also when the body hid it.
    static func run<Result>(
        in place: KeyClaims.Place,
        _ body: (RunningTransaction) throws -> Result
    ) throws -> Result {
        let transaction = RunningTransaction(in: place)
        let thread = ObjectIdentifier(Thread.current)
        // So that a plain write takes the way on which it is refused.
        Detours.begin()
        count.add(1, ordering: .relaxed)
        running.withLock { $0[thread, default: []].append(transaction) }
        defer {
            running.withLock { running in
                running[thread]?.removeLast()
                if running[thread]?.isEmpty == true { running[thread] = nil }
            }
            count.subtract(1, ordering: .relaxed)
            Detours.end()
        }
        let result = try body(transaction)
        if let refusal = transaction.state.withLock(\.refusal) { throw refusal }
        return result
    }

    /// Notes that the transaction reads or writes keys.
    func note(_ keys: [StoreKey]) { state.withLock { $0.keys.formUnion(keys) } }

    /// Refuses to write keys that a transaction around this call has read or written.
    ///
    /// - Throws: ``DefaultsError`` with code `nestedWrite`, which the transaction throws too.
    static func refuse(_ keys: [StoreKey], in place: KeyClaims.Place) throws {
        // A transaction of this thread is counted already.
        guard count.load(ordering: .relaxed) > 0 else { return }
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
