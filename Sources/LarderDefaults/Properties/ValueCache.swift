public import Synchronization

/// The last value that was read, until something says that it may have changed.
///
/// A value is released outside the lock: its `deinit` may read the property that caches it.
@usableFromInline
final class ValueCache<Value: Sendable>: Sendable {
    @usableFromInline
    struct State {
        var generation: UInt64 = 0
        @usableFromInline var value: Value?
    }

    @usableFromInline let state = Mutex(State())

    init() {}

    /// The value, if one is kept.
    @inlinable var kept: Value? { state.withLock { $0.value } }

    /// The value that is kept, or what `read` returns.
    func value(_ read: () -> Value) -> Value {
        let (kept, generation) = state.withLock { ($0.value, $0.generation) }
        if let kept { return kept }
        let value = read()
        // Not kept when it may have changed while it was read.
        let former = state.withLock { state -> Value? in
            guard state.generation == generation else { return nil }
            defer { state.value = value }
            return state.value
        }
        withExtendedLifetime(former) {}
        return value
    }

    /// Forgets the value.
    func invalidate() {
        let former = state.withLock { state in
            state.generation &+= 1
            defer { state.value = nil }
            return state.value
        }
        withExtendedLifetime(former) {}
    }
}
