import CLarderPlatform
package import Synchronization

/// A namespace for properties of the current process, and functions that make its threads wait.
package enum CurrentProcess {
    /// The identifier of this process, which may have belonged to an earlier process.
    package static var identifier: Int32 { SystemCalls.processIdentifier }

    /// A counter that increases in each forked child, so that a child can detect which files its parent opened.
    ///
    /// The counter works only if the process has read it before the fork. Reading it costs two loads.
    package static var forkGeneration: UInt64 { larder_fork_generation() }

    /// The address of ``forkGeneration``, for code that checks the counter on every call.
    package static var forkCounter: UnsafePointer<Atomic<UInt64>> {
        larder_fork_counter().assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Keeps the thread busy for a few microseconds, because a sleep would take at least 50 µs.
    ///
    /// - Parameter duration: The time to keep the thread busy.
    package static func pause(for duration: Duration) {
        let clock = ContinuousClock()
        let end = clock.now + duration
        while clock.now < end {}
    }

    /// Lets other threads run, which may take milliseconds on a busy machine.
    package static func yield() { SystemCalls.yield() }

    /// Blocks the current thread for `duration`.
    package static func sleep(for duration: Duration) { SystemCalls.sleep(for: duration) }
}
