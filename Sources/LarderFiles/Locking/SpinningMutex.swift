import CLarderPlatform

/// A mutex of the system's that spins for a moment before it sleeps, where the system has such.
///
/// It belongs to the thread that takes it first, and a thread that has it must not ask for it again. ThreadSanitizer knows it.
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
        larder_lock_init(lock)
    }

    deinit {
        larder_lock_destroy(lock)
        UnsafeMutableRawPointer(lock).deallocate()
    }

    /// Waits until no other thread has it.
    @usableFromInline package borrowing func take() { larder_lock_take(lock) }

    /// Gives it back; for the thread that has it.
    @usableFromInline package borrowing func release() { larder_lock_release(lock) }
}
