#if DEBUG
import Synchronization

/// In debug builds, `Synchronization.Mutex` in a form that ThreadSanitizer can follow; release builds have that one itself.
///
/// A thread that waited for `Synchronization.Mutex` is handed the lock by the kernel, out of the sanitizer's sight, so that it takes
/// what the two holders do for a race. The word beside the lock says in atomic operations what the lock guarantees anyway.
struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
    private let mutex: Synchronization.Mutex<Value>
    private let handOver = Atomic<Bool>(false)

    init(_ value: consuming sending Value) { mutex = Synchronization.Mutex(value) }

    borrowing func withLock<Result: ~Copyable, Failure: Error>(
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
