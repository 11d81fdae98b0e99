#if Encryption
import LarderCore
import LarderFiles
import Synchronization

/// The observations of its base that a store has begun.
///
/// The store holds them, and they end with it: a handler that the base went on keeping would leave the reader of a sequence waiting
/// for ever.
final class BaseObservations: Sendable {
    private struct State {
        var observations: [UInt64: StoreObservation] = [:]
        var next: UInt64 = 0
    }

    private let state = Mutex(State())

    /// - Returns: What to call ``end(_:)`` with.
    func hold(_ observation: StoreObservation) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.observations[state.next] = observation
            return state.next
        }
    }

    func end(_ number: UInt64) {
        // Outside the lock: what its handler captured may end other observations.
        state.withLock { $0.observations.removeValue(forKey: number) }?.cancel()
    }
}
#endif
