package import CLarderPlatform

/// A value that one thread at a time uses.
///
/// Has the interface of `Synchronization.Mutex` and is for values that many threads want at once. On Linux that mutex is handed from
/// one thread to the next by the kernel, and nothing goes on until the next one has been woken; this one spins for a moment before it
/// sleeps, and belongs to the thread that takes it first. It is a mutex of the system's, which ThreadSanitizer knows.
///
/// A thread that has it must not ask for it again.
package struct Lock<Value: ~Copyable>: ~Copyable {
    /// Allocated and freed with this value; functions of the system's that any thread may call use it.
    @usableFromInline nonisolated(unsafe) let mutex: UnsafeMutablePointer<larder_lock>
    /// In the same allocation; used by the thread that has the mutex.
    @usableFromInline nonisolated(unsafe) let value: UnsafeMutablePointer<Value>

    /// What the system's mutex takes at most, and what processors fetch at once.
    private static var lineSize: Int { 64 }

    /// Protects `initialValue`.
    package init(_ initialValue: consuming sending Value) {
        let size = MemoryLayout<larder_lock>.stride
        let alignment = max(Self.lineSize, MemoryLayout<Value>.alignment)
        let offset = (size + MemoryLayout<Value>.alignment - 1) & ~(MemoryLayout<Value>.alignment - 1)
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: offset + MemoryLayout<Value>.stride,
            alignment: alignment
        )
        mutex = memory.bindMemory(to: larder_lock.self, capacity: 1)
        larder_lock_init(mutex)
        value = (memory + offset).bindMemory(to: Value.self, capacity: 1)
        value.initialize(to: initialValue)
    }

    deinit {
        value.deinitialize(count: 1)
        larder_lock_destroy(mutex)
        UnsafeMutableRawPointer(mutex).deallocate()
    }

    /// Runs `body` while no other thread uses the value.
    ///
    /// - Returns: What `body` returned.
    /// - Throws: What `body` threw.
    @inlinable @inline(__always)
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        larder_lock_take(mutex)
        defer { larder_lock_release(mutex) }
        return try body(&value.pointee)
    }
}

// Sound: the value is used by the thread alone that has the mutex, and what comes in or goes out is sent.
extension Lock: @unchecked Sendable where Value: ~Copyable {}
