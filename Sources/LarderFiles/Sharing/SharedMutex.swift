import CLarderPlatform

/// A lock that lies in memory which processes share, and tells the next holder when the last one died.
///
/// It costs a few nanoseconds where a lock of the file costs half a microsecond. Linux only; elsewhere every call throws
/// `unsupported`. The memory belongs to the caller, and must outlive this.
package struct SharedMutex {
    private let address: UnsafeMutableRawPointer

    /// How many bytes it takes; its address must be a multiple of 16.
    package static let size = larder_mutex_size()

    /// How the lock was found.
    package enum Outcome: Sendable, Hashable {
        /// It was free.
        case acquired
        /// It is held now, but its last holder died while holding it: bring what it guards in order, then call
        /// ``makeConsistent()``. Unlocked without that, it can never be locked again.
        case ownerDied
        /// Somebody else held it all the time.
        case timedOut
    }

    /// The one at this address.
    package init(at address: UnsafeMutableRawPointer) { self.address = address }

    /// Makes a new one there.
    ///
    /// Nobody may be using the memory.
    package func initialize() throws { try check(larder_mutex_initialize(address)) }

    /// Takes the lock, waiting up to `limit`.
    ///
    /// Asking again on the thread that has it waits in vain.
    package func lock(within limit: Duration) throws -> Outcome {
        let result = larder_mutex_lock(address, limit.wholeNanoseconds)
        if result == 0 { return .acquired }
        if SystemCalls.isOwnerDead(result) { return .ownerDied }
        if SystemCalls.isTimeOut(result) { return .timedOut }
        throw FileError(errno: result, .lock, "the shared mutex")
    }

    /// Says that what it guards is in order again after its holder had died.
    package func makeConsistent() throws { try check(larder_mutex_make_consistent(address)) }

    /// Lets go.
    ///
    /// Only for the thread that has it.
    package func unlock() throws { try check(larder_mutex_unlock(address)) }

    private func check(_ result: Int32) throws {
        if result != 0 { throw FileError(errno: result, .lock, "the shared mutex") }
    }
}
