// Everything that `withLock` uses is `@usableFromInline`, because the compiler could not inline it into other modules otherwise.

/// A lock that protects a value that several threads access concurrently.
///
/// The type has the interface of `Synchronization.Mutex`, but performs better under contention. On Linux, the kernel hands a contended
/// `Synchronization.Mutex` to the next thread, and no thread makes progress until that thread has woken up. See ``SpinningMutex`` and
/// decision 0045.
@usableFromInline
package struct Lock<Value: ~Copyable>: ~Copyable {
    @usableFromInline let mutex = SpinningMutex()
    // This is safe, because the pointer is used only while the mutex is held, and the memory is allocated and freed with this value.
    @usableFromInline nonisolated(unsafe) let value: UnsafeMutablePointer<Value>

    /// Creates a lock that protects `initialValue`.
    package init(_ initialValue: consuming sending Value) {
        value = .allocate(capacity: 1)
        value.initialize(to: initialValue)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with exclusive access to the protected value.
    ///
    /// If `body` calls this method again, the process crashes in debug builds and deadlocks in release builds.
    ///
    /// - Returns: The result of `body`.
    /// - Throws: The error that `body` throws.
    @inlinable @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        mutex.take()
        defer { mutex.release() }
        return try body(&value.pointee)
    }
}

// This is safe, because only the thread that holds the mutex accesses the value, and parameters and results are `sending`.
extension Lock: @unchecked Sendable where Value: ~Copyable {}
