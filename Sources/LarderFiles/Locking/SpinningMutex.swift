import CLarderPlatform

/// A pthread mutex that spins briefly before it sleeps, on systems whose mutexes support spinning.
///
/// The mutex is not recursive. In debug builds, the mutex does not spin, and recursive locking crashes the process. ThreadSanitizer
/// supports this mutex.
@usableFromInline
package struct SpinningMutex: ~Copyable, Sendable {
    // This is safe, because the system's mutex functions are thread-safe, and the memory is allocated and freed with this value.
    nonisolated(unsafe) private let lock: UnsafeMutablePointer<larder_lock>

    /// The size in bytes of a cache line, which the mutex occupies exclusively.
    private static let lineSize = 64

    /// Creates an unlocked mutex.
    package init() {
        lock = UnsafeMutableRawPointer.allocate(
            byteCount: max(Self.lineSize, MemoryLayout<larder_lock>.size),
            alignment: Self.lineSize
        ).bindMemory(to: larder_lock.self, capacity: 1)
        #if DEBUG
        larder_lock_init(lock, true)
        #else
        larder_lock_init(lock, false)
        #endif
    }

    deinit {
        larder_lock_destroy(lock)
        UnsafeMutableRawPointer(lock).deallocate()
    }

    /// Acquires the mutex, blocking the current thread until the mutex is free.
    ///
    /// If the calling thread already holds the mutex, the process crashes in debug builds and deadlocks in release builds.
    @usableFromInline package borrowing func take() {
        #if DEBUG
        let error = larder_lock_take(lock)
        assert(
            error == 0,
            "A thread tried to acquire a lock that it already holds, which would deadlock (error \(error)). Find the call in the stack of this thread, and move it out of the locked section."
        )
        #else
        _ = larder_lock_take(lock)
        #endif
    }

    /// Acquires the mutex if it is free, without waiting.
    ///
    /// - Returns: `true` if the mutex was acquired.
    @usableFromInline package borrowing func takeIfFree() -> Bool { larder_lock_try(lock) }

    /// Releases the mutex.
    ///
    /// Only the thread that acquired the mutex may release it.
    @usableFromInline package borrowing func release() { larder_lock_release(lock) }
}
