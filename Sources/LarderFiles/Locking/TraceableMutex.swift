#if DEBUG
import Synchronization

// The kernel hands a contended mutex to the next thread without ThreadSanitizer noticing, so the sanitizer reports a race. The atomic word
// makes the ordering that the mutex guarantees visible to the sanitizer.

/// A variant of `Synchronization.Mutex` for debug builds, in which ThreadSanitizer does not report false races.
///
/// Each target declares a type alias `Mutex` for this type in debug builds. In release builds, `Mutex` is `Synchronization.Mutex`.
package struct TraceableMutex<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Synchronization.Mutex<Value>
    private let handOver = Atomic<Bool>(false)

    /// Creates an unlocked mutex that protects `value`.
    package init(_ value: consuming sending Value) { mutex = Synchronization.Mutex(value) }

    /// Runs `body` with exclusive access to the protected value.
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
