public import Synchronization

/// A thread-safe cache of a single value.
///
/// Values are released outside the lock, because a `deinit` may read the property that caches the value.
@usableFromInline
final class ValueCache<Value: Sendable>: Sendable {
    @usableFromInline
    struct State {
        var generation: UInt64 = 0
        @usableFromInline var value: Value?
    }

    @usableFromInline let state = Mutex(State())

    init() {}

    /// The cached value, or `nil` if no value is cached.
    @inlinable var kept: Value? { state.withLock { $0.value } }

    /// Returns the cached value, or calls `read` and caches its result.
    func value(_ read: () -> Value) -> Value {
        let (kept, generation) = state.withLock { ($0.value, $0.generation) }
        if let kept { return kept }
        let value = read()
        // The result is not cached if the value may have changed during the read.
        let former = state.withLock { state -> Value? in
            guard state.generation == generation else { return nil }
            defer { state.value = value }
            return state.value
        }
        withExtendedLifetime(former) {}
        return value
    }

    /// Discards the cached value, and prevents a read in progress from caching its result.
    func invalidate() {
        let former = state.withLock { state in
            state.generation &+= 1
            defer { state.value = nil }
            return state.value
        }
        withExtendedLifetime(former) {}
    }
}
