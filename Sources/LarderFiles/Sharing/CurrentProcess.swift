import CLarderPlatform
package import Synchronization

/// A namespace for properties of the current process, and for functions that pause the current thread.
package enum CurrentProcess {
    /// The identifier (PID) of this process.
    ///
    /// The system may have assigned the same identifier to an earlier process.
    package static var identifier: Int32 { SystemCalls.processIdentifier }

    /// A counter that is incremented in each forked child, so that a child can detect the files that its parent opened.
    ///
    /// Forks before the first read of the counter are not counted.
    package static var forkGeneration: UInt64 { larder_fork_generation() }

    /// A pointer to the counter behind ``forkGeneration``, for code that reads the counter frequently.
    package static var forkCounter: UnsafePointer<Atomic<UInt64>> {
        larder_fork_counter().assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Spins for `duration`, which should be a few microseconds.
    ///
    /// For longer pauses, use ``sleep(for:)``, which takes at least 50 µs.
    package static func pause(for duration: Duration) {
        let clock = ContinuousClock()
        let end = clock.now + duration
        while clock.now < end {}
    }

    /// Yields the processor to other threads, which may take milliseconds on a busy machine.
    package static func yield() { SystemCalls.yield() }

    /// Blocks the current thread for `duration`.
    package static func sleep(for duration: Duration) { SystemCalls.sleep(for: duration) }
}
