import CLarderPlatform

/// A count that threads wait for.
///
/// Uses the system's own mutex and condition: no Dispatch, and no file descriptor.
package final class ThreadSemaphore: Sendable {
    /// `nil` when there was no memory for it.
    // Set once, valid as long as this object, and used only by functions that any thread may call.
    nonisolated(unsafe) private let semaphore: OpaquePointer?

    /// Creates a semaphore whose count is 0.
    package init() { semaphore = larder_semaphore_create() }

    deinit { if let semaphore { larder_semaphore_destroy(semaphore) } }

    /// Adds one to the count, and wakes one thread that waits for it.
    package func signal() { if let semaphore { larder_semaphore_signal(semaphore) } }

    /// Waits for a count above 0 and takes one off it.
    ///
    /// May return early: look at what is waited for, and wait again.
    ///
    /// - Parameter limit: For how long at most; `nil` for no limit.
    package func wait(within limit: Duration? = nil) {
        guard let semaphore else { return SystemCalls.sleep(for: .milliseconds(1)) }
        _ = larder_semaphore_wait(semaphore, limit?.wholeNanoseconds ?? -1)
    }
}
