import CLarderPlatform

/// A counting semaphore that uses a pthread mutex and condition variable, and needs neither Dispatch nor a file descriptor.
package final class ThreadSemaphore: Sendable {
    // This is safe, because the pointer is constant, valid as long as this object, and passed only to thread-safe functions.

    /// The C semaphore, or `nil` if it could not be allocated.
    nonisolated(unsafe) private let semaphore: OpaquePointer?

    /// Creates a semaphore with an initial count of 0.
    package init() { semaphore = larder_semaphore_create() }

    deinit { if let semaphore { larder_semaphore_destroy(semaphore) } }

    /// Increments the count and wakes a waiting thread.
    package func signal() { if let semaphore { larder_semaphore_signal(semaphore) } }

    /// Waits until the count is above 0, and decrements the count.
    ///
    /// The call may return early, so the caller must check its own condition and wait again.
    ///
    /// - Parameter limit: The maximum time to wait, or `nil` for no limit.
    package func wait(within limit: Duration? = nil) {
        guard let semaphore else { return SystemCalls.sleep(for: .milliseconds(1)) }
        _ = larder_semaphore_wait(semaphore, limit?.wholeNanoseconds ?? -1)
    }
}
