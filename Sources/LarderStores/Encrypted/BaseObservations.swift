#if Encryption
import LarderCore
import LarderFiles
import Synchronization

/// The observations that an encrypted store has registered on its base store.
///
/// The observations end when the encrypted store is released, which also ends the encrypted store's sequences of changes.
final class BaseObservations: Sendable {
    private struct State {
        var observations: [UInt64: StoreObservation] = [:]
        var next: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Retains `observation` until ``end(_:)`` is called.
    ///
    /// - Returns: An identifier of the observation, to pass to ``end(_:)``.
    func hold(_ observation: StoreObservation) -> UInt64 {
        state.withLock { state in
            state.next += 1
            state.observations[state.next] = observation
            return state.next
        }
    }

    func end(_ number: UInt64) {
        // Cancelled outside the lock, because releasing values that the handler captured may end other observations.
        state.withLock { $0.observations.removeValue(forKey: number) }?.cancel()
    }
}
#endif
