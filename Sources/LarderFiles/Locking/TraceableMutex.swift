#if DEBUG
import Synchronization

/// `Synchronization.Mutex` in a form that ThreadSanitizer can follow, for debug builds.
///
/// A target that uses it calls it `Mutex` in debug builds; in release builds that name means `Synchronization.Mutex`.
///
/// A thread that waited for `Synchronization.Mutex` is handed the lock by the kernel, out of the sanitizer's sight, so that it takes
/// what the two holders do for a race. The word beside the lock says in atomic operations what the lock guarantees anyway.
package struct TraceableMutex<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Synchronization.Mutex<Value>
    private let handOver = Atomic<Bool>(false)

    /// Protects `value`.
    package init(_ value: consuming sending Value) { mutex = Synchronization.Mutex(value) }

    /// Runs `body` while no other thread uses the value.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock { (value: inout sending Value) throws(Failure) -> sending Result in
            _ = handOver.load(ordering: .acquiring)
            defer { handOver.store(true, ordering: .releasing) }
            return try body(&value)
        }
    }
}
#endif
