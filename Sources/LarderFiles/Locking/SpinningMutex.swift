import CLarderPlatform

/// A mutex of the system's that spins for a moment before it sleeps, where the system has such.
///
/// It belongs to the thread that takes it first, and a thread that has it must not ask for it again: debug builds check that, and do
/// not spin. ThreadSanitizer knows it.
@usableFromInline
package struct SpinningMutex: ~Copyable, Sendable {
    // Functions of the system's that any thread may call use it; allocated and freed with this value.
    nonisolated(unsafe) private let lock: UnsafeMutablePointer<larder_lock>

    /// What processors fetch at once: nothing else lies beside it.
    private static let lineSize = 64

    /// A mutex that is free.
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

    /// Waits until no other thread has it.
    ///
    /// In debug builds, a thread that has it already stops the process; in others it waits forever.
    @usableFromInline package borrowing func take() {
        #if DEBUG
        let error = larder_lock_take(lock)
        assert(
            error == 0,
            "A thread acquires a lock that it holds already and would wait for itself forever (error \(error)). Move the call that leads here out of the lock: the stack of this thread shows it."
        )
        #else
        _ = larder_lock_take(lock)
        #endif
    }

    /// Takes it if no thread has it.
    ///
    /// - Returns: Whether it was taken.
    @usableFromInline package borrowing func takeIfFree() -> Bool { larder_lock_try(lock) }

    /// Gives it back; for the thread that has it.
    @usableFromInline package borrowing func release() { larder_lock_release(lock) }
}
