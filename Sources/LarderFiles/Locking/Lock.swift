/// A value that one thread at a time uses.
///
/// Has the interface of `Synchronization.Mutex` and is for values that many threads want at once. On Linux that mutex is handed from
/// one thread to the next by the kernel, and nothing goes on until the next one has been woken; see ``SpinningMutex`` and decision
/// 0045. The compiler inlines a generic `package` function into other modules only where all it uses is `@usableFromInline`, its type too.
@usableFromInline
package struct Lock<Value: ~Copyable>: ~Copyable {
    @usableFromInline let mutex = SpinningMutex()
    // Used by the thread that has the mutex; allocated and freed with this value.
    @usableFromInline nonisolated(unsafe) let value: UnsafeMutablePointer<Value>

    /// Protects `initialValue`.
    package init(_ initialValue: consuming sending Value) {
        value = .allocate(capacity: 1)
        value.initialize(to: initialValue)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` while no other thread uses the value.
    ///
    /// Called again by `body`, it stops the process in debug builds and waits forever in others.
    ///
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw.
    @inlinable @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        mutex.take()
        defer { mutex.release() }
        return try body(&value.pointee)
    }
}

// Sound: the value is used by the thread alone that has the mutex, and what comes in or goes out is sent.
extension Lock: @unchecked Sendable where Value: ~Copyable {}
