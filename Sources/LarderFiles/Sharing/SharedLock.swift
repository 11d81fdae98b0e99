package import LarderCore
package import Synchronization

/// An interprocess lock in shared memory that detects when its holder has died.
///
/// Each member of the lock has an open file and a unique number. The lock word contains the number of the holder. While its file is open,
/// each member also holds a file lock with its number (``OpenFile/hold(_:)``), which the operating system releases when the process dies. A
/// waiting member checks the holder's file lock periodically, and takes over the lock if the holder is dead.
///
/// The memory must initially be zero. Only one thread of a member may use the lock at a time. A member that closes its file while it holds
/// the lock is considered dead.
package struct SharedLock: Sendable {
    /// The result of trying to acquire the lock.
    package enum Outcome: Sendable, Hashable {
        /// The lock was free, and this member holds it now.
        case acquired
        /// This member holds the lock now, but the previous holder died while holding it.
        ///
        /// The caller must recover the state that the lock protects.
        case holderDied
        /// Another live member held the lock until the time limit was reached.
        case timedOut
    }

    /// The bit of the lock word that is set while a waiting member may be asleep.
    package static let waitingBit: UInt32 = 1 << 31
    /// The file offset of the byte to lock for member number 0.
    ///
    /// Each member locks one byte beyond the end of any file, where no other locks are held.
    package static let firstPlace: Int64 = 1 << 40
    /// The number of times that a waiting member checks the lock before it sleeps.
    ///
    /// The lock is usually released sooner than a sleeping thread could wake up.
    private static let spins = 200
    private static let longestSleep = Duration.milliseconds(20)

    /// The address of the lock word in shared memory.
    ///
    /// The caller must keep this memory valid for the lifetime of the lock.
    @usableFromInline nonisolated(unsafe) let word: UnsafeMutablePointer<Atomic<UInt32>>
    private let file: any OpenFile
    /// The unique number of this member.
    package let member: UInt32

    /// A handle that can try to acquire or release this lock without reference counting.
    ///
    /// The handle is valid only while the lock exists.
    @inlinable @inline(__always)
    package var attempt: Attempt { Attempt(word: word, member: member) }

    /// The number of the member that holds the lock, or 0 if the lock is free.
    package var holder: UInt32 { word.pointee.load(ordering: .relaxed) & ~Self.waitingBit }

    /// The exclusive upper bound of member numbers.
    ///
    /// Numbers wrap around before they reach the bound.
    package static let memberLimit = 1 << 31

    /// Whether this member holds the lock.
    package var isMine: Bool { holder == member }

    /// Creates a new member of the lock.
    ///
    /// - Parameters:
    ///   - word: The lock word, in memory that all members share.
    ///   - lastMember: The counter in shared memory from which members take their numbers.
    ///   - file: The member's own handle to the file that all members open.
    /// - Throws: ``FileError``, with code `unsupported` if the platform does not support byte-range file locks or waiting on shared memory.
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
            // After 2^31 members, a number may still be in use, or belong to a holder that died.
            if number != 0, word.pointee.load(ordering: .relaxed) & ~Self.waitingBit != number,
                try file.hold(Int(number))
            {
                member = number
                return
            }
        }
    }

    /// Releases this member's file lock, so that the other members consider this member dead.
    package func leave() throws { try file.release(Int(member)) }

    /// Acquires the lock if it is free, and returns whether this member now holds it.
    @inlinable @inline(__always)
    package func tryLock() -> Bool { attempt.tryLock() }

    /// Acquires the lock, waiting for at most `limit`.
    ///
    /// If this member already holds the lock, the call times out.
    package func lock(within limit: Duration, time: any TimeSource = .system) throws -> Outcome {
        for _ in 0..<Self.spins {
            if word.pointee.load(ordering: .relaxed) == 0, tryLock() { return .acquired }
        }
        let deadline = time.monotonic + limit
        var sleep = Duration.milliseconds(1)
        while true {
            let seen = word.pointee.load(ordering: .relaxed)
            // Other members may still be asleep, so a member that has slept keeps the waiting bit set.
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
            // Member numbers are unique, so if the word is unchanged, the dead member still holds the lock.
            if try holder != member && !file.isHeld(Int(holder)) {
                if exchange(waited, mine) { return .holderDied }
            } else if left <= .zero {
                return .timedOut
            }
        }
    }

    /// Releases the lock if no member waits for it.
    ///
    /// Returns `false` if a member may be waiting, or if this member does not hold the lock.
    @inlinable @inline(__always)
    package func tryUnlock() -> Bool { attempt.tryUnlock() }

    /// Releases the lock and wakes a waiting member.
    ///
    /// - Parameter handOver: This member's ``HandOver``, which gives the woken member a short time to acquire the lock before this call
    ///   returns.
    /// - Throws: ``FileError`` with code `closed` if this member does not hold the lock.
    package func unlock(_ handOver: HandOver? = nil) throws {
        if !tryUnlock() { try unlockAndWake(handOver) }
    }

    @inline(never)
    private func unlockAndWake(_ handOver: HandOver?) throws {
        guard exchange(member | Self.waitingBit, 0) else {
            throw FileError(.closed, .lock, file.path, detail: "this member does not hold the lock")
        }
        try SharedWord.wake(word)
        handOver?.wait { word.pointee.load(ordering: .relaxed) != 0 }
    }

    private func exchange(_ old: UInt32, _ new: UInt32) -> Bool {
        word.pointee.compareExchange(expected: old, desired: new, ordering: .sequentiallyConsistent).exchanged
    }
}

extension SharedLock {
    /// A handle that can try to acquire or release a ``SharedLock`` without reference counting.
    package struct Attempt: Sendable {
        @usableFromInline nonisolated(unsafe) let word: UnsafeMutablePointer<Atomic<UInt32>>
        /// The number of the member that tries to acquire the lock.
        package let member: UInt32

        @usableFromInline
        init(word: UnsafeMutablePointer<Atomic<UInt32>>, member: UInt32) {
            self.word = word
            self.member = member
        }

        /// Acquires the lock if it is free, and returns whether this member now holds it.
        @inlinable @inline(__always)
        package func tryLock() -> Bool {
            word.pointee.compareExchange(expected: 0, desired: member, ordering: .acquiring).exchanged
        }

        /// Releases the lock if no member waits for it.
        ///
        /// Returns `false` if a member may be waiting, or if this member does not hold the lock.
        @inlinable @inline(__always)
        package func tryUnlock() -> Bool {
            // Sequentially consistent, to order the holder's earlier stores before its next loads.
            word.pointee.compareExchange(expected: member, desired: 0, ordering: .sequentiallyConsistent).exchanged
        }
    }
}

extension SharedLock {
    /// A short pause, after the release of a contended lock, that lets the woken member acquire the lock.
    ///
    /// Without the pause, a member that locks repeatedly on a busy machine could starve the woken member for seconds. Each member has its
    /// own instance, which pauses at most once per millisecond.
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
