import CLarderPlatform
package import Synchronization

/// Which process this is.
package enum CurrentProcess {
    /// Its number, which another process may have had before.
    package static var identifier: Int32 { SystemCalls.processIdentifier }

    /// Grows by one in a process that was forked from this one, so that it can tell that it is not the one that opened
    /// its files.
    ///
    /// Ask once before any fork. Costs two loads.
    package static var forkGeneration: UInt64 { larder_fork_generation() }

    /// Where ``forkGeneration`` stands, for those who look at every call.
    package static var forkCounter: UnsafePointer<Atomic<UInt64>> {
        larder_fork_counter().assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// Keeps the thread busy for some microseconds: a sleep takes at least fifty.
    ///
    /// - Parameter duration: How long.
    package static func pause(for duration: Duration) {
        let clock = ContinuousClock()
        let end = clock.now + duration
        while clock.now < end {}
    }

    /// Lets others run where they want to, which may take milliseconds on a machine that is busy.
    package static func yield() { SystemCalls.yield() }

    /// Blocks the thread.
    package static func sleep(for duration: Duration) { SystemCalls.sleep(for: duration) }
}
