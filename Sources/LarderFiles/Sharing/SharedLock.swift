package import LarderCore
package import Synchronization

/// A lock in memory that processes share, whose holder's death is noticed by whoever waits for it.
///
/// Taking it and letting go cost one atomic operation each where nobody else wants it; a lock of the file costs half a
/// microsecond. The word holds the number of the member that has the lock. Every member, an open file, gets a number that no
/// other ever had, and keeps the file's lock of that number (``OpenFile/hold(_:)``) as long as it is open: the operating
/// system lets go of that when the process dies, however it dies. Who waits asks for it from time to time, and takes the lock
/// from a member that is gone.
///
/// The memory need only be zero to begin with, and nothing in it depends on a library or its version, nor on process
/// numbers, which differ between containers. It is for one thread of a member at a time. Closing the member's file while it has
/// the lock is its death.
package struct SharedLock: Sendable {
    /// How the lock was found.
    package enum Outcome: Sendable, Hashable {
        /// It was free.
        case acquired
        /// It is held now, but its last holder died while holding it: bring what it guards in order.
        case holderDied
        /// Somebody else, who lives, held it all the time.
        case timedOut
    }

    /// Set beside the holder's number when somebody may be sleeping.
    package static let waitingBit: UInt32 = 1 << 31
    /// Which byte of the file a member's lock would be if its number were 0: far behind the end of any file, where no other lock is.
    package static let firstPlace: Int64 = 1 << 40
    /// How often to look again before going to sleep: the lock is mostly held for less than it takes to be woken.
    private static let spins = 200
    private static let longestSleep = Duration.milliseconds(20)

    /// Valid as long as the caller keeps the memory, which must outlive this.
    @usableFromInline nonisolated(unsafe) let word: UnsafeMutablePointer<Atomic<UInt32>>
    private let file: any OpenFile
    /// The number of this member, which no other ever had.
    package let member: UInt32

    /// What an attempt needs: an address and a number, so that it counts no references.
    ///
    /// Valid as long as the lock.
    @inlinable @inline(__always)
    package var attempt: Attempt { Attempt(word: word, member: member) }

    /// The number of the member that has the lock; 0 for none.
    package var holder: UInt32 { word.pointee.load(ordering: .relaxed) & ~Self.waitingBit }

    /// How many members there ever were.
    package static let memberLimit = 1 << 31

    /// Whether this member has the lock.
    package var isMine: Bool { holder == member }

    /// A new member.
    ///
    /// - Parameters:
    ///   - word: The lock, in memory that everybody shares.
    ///   - lastMember: Beside it: how many members there ever were.
    ///   - file: The member's own open file, of which the others have opened the same.
    /// - Throws: ``FileError``; `unsupported` where files have no such locks or memory can't be waited on.
    package init(
        word: UnsafeMutablePointer<Atomic<UInt32>>,
        lastMember: UnsafeMutablePointer<Atomic<UInt32>>,
        file: any OpenFile
    ) throws {
        guard SharedWord.isSupported else { throw FileError(.unsupported, .lock, file.path) }
        self.word = word
        self.file = file
        while true {
            let number = lastMember.pointee.wrappingAdd(1, ordering: .relaxed).newValue & ~Self.waitingBit
            // After two thousand million members a number may still be in use, or be that of a holder that died.
            if number != 0, word.pointee.load(ordering: .relaxed) & ~Self.waitingBit != number,
                try file.hold(Int(number))
            {
                member = number
                return
            }
        }
    }

    /// The end of this member: from here on it is taken for dead.
    package func leave() throws { try file.letGo(Int(member)) }

    /// Takes the lock if it is free.
    @inlinable @inline(__always)
    package func tryLock() -> Bool { attempt.tryLock() }

    /// Takes the lock, waiting up to `limit`.
    ///
    /// Asking again on the thread that has it waits in vain.
    package func lock(within limit: Duration, time: any TimeSource = .system) throws -> Outcome {
        for _ in 0..<Self.spins {
            if word.pointee.load(ordering: .relaxed) == 0, tryLock() { return .acquired }
        }
        let deadline = time.monotonic + limit
        var sleep = Duration.milliseconds(1)
        while true {
            let seen = word.pointee.load(ordering: .relaxed)
            // Whoever has slept can't know whether others still do: it takes the lock as one that is waited for.
            let mine = member | Self.waitingBit
            if seen == 0 {
                if exchange(seen, mine) { return .acquired }
                continue
            }
            let waited = seen | Self.waitingBit
            if seen != waited, !exchange(seen, waited) { continue }
            let left = deadline - time.monotonic
            if left > .zero { _ = try SharedWord.wait(on: word, while: waited, within: min(left, sleep)) }
            sleep = min(sleep * 2, Self.longestSleep)
            guard word.pointee.load(ordering: .relaxed) == waited else { continue }
            let holder = seen & ~Self.waitingBit
            // No other member ever has that number: if it is still there, the one who died put it there.
            if try holder != member && !file.isHeld(Int(holder)) {
                if exchange(waited, mine) { return .holderDied }
            } else if left <= .zero {
                return .timedOut
            }
        }
    }

    /// Lets go if nobody waits; `false`, and nothing done, if somebody may, or this member does not have the lock.
    @inlinable @inline(__always)
    package func tryUnlock() -> Bool { attempt.tryUnlock() }

    /// Lets go, and wakes who waits.
    ///
    /// - Parameter handOver: Has them take it before this returns, if that does not take long.
    /// - Throws: ``FileError`` with the code `closed` when this member does not have the lock.
    package func unlock(_ handOver: HandOver? = nil) throws {
        if !tryUnlock() { try unlockAndWake(handOver) }
    }

    @inline(never)
    private func unlockAndWake(_ handOver: HandOver?) throws {
        guard exchange(member | Self.waitingBit, 0) else {
            throw FileError(.closed, .lock, file.path, detail: "the lock was not held")
        }
        try SharedWord.wake(word)
        handOver?.wait { word.pointee.load(ordering: .relaxed) != 0 }
    }

    private func exchange(_ old: UInt32, _ new: UInt32) -> Bool {
        word.pointee.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
    }
}

extension SharedLock {
    /// A ``SharedLock`` for one attempt to acquire or release it.
    package struct Attempt: Sendable {
        @usableFromInline nonisolated(unsafe) let word: UnsafeMutablePointer<Atomic<UInt32>>
        /// The number of the member.
        package let member: UInt32

        @usableFromInline
        init(word: UnsafeMutablePointer<Atomic<UInt32>>, member: UInt32) {
            self.word = word
            self.member = member
        }

        /// Acquires the lock if it is free.
        @inlinable @inline(__always)
        package func tryLock() -> Bool {
            word.pointee.compareExchange(expected: 0, desired: member, ordering: .acquiring).exchanged
        }

        /// Releases the lock if no member waits; `false`, and nothing done, if one may, or this member does not have the lock.
        @inlinable @inline(__always)
        package func tryUnlock() -> Bool {
            // Also orders what the holder stored before against what it loads next.
            word.pointee.compareExchange(expected: member, desired: 0, ordering: .sequentiallyConsistent).exchanged
        }
    }
}

extension SharedLock {
    /// Lets those who were woken take the lock: beside busy processors, a member that takes it again and again would have it back before
    /// any of them is awake, for seconds.
    ///
    /// One for each member, which does so now and then only: who has the lock for moments hardly notices.
    package final class HandOver: Sendable {
        private static let limit = Duration.microseconds(500)
        private static let interval = Duration.milliseconds(1)

        private let next = Mutex<ContinuousClock.Instant?>(nil)

        package init() {}

        fileprivate func wait(until isTaken: () -> Bool) {
            let clock = ContinuousClock()
            var now = clock.now
            if let next = next.withLock(\.self), now < next { return }
            let end = now + Self.limit
            while !isTaken(), now < end {
                CurrentProcess.yield()
                now = clock.now
            }
            let last = now
            next.withLock { $0 = last + Self.interval }
        }
    }
}
