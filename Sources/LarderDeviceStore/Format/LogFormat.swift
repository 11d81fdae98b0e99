import LarderCore
import LarderFiles

/// The constants of the log format, in the order of `Documentation/Formats/device-log-v1.md`.
package enum LogFormat {
    // The suffixes of the other files in the log's folder.
    static let controlSuffix = ".ctl"
    package static let newSuffix = ".larder-new"
    static let damagedSuffix = ".damaged-"

    // Constants of the header.
    static let headerSize = 4096
    static let slotSize = 512
    package static let slotOffsets = [0, 2048]
    /// The first bytes of a log: "LARDER", SUB, LF.
    package static let magic: [UInt8] = [0x4C, 0x41, 0x52, 0x44, 0x45, 0x52, 0x1A, 0x0A]
    static let majorVersion: UInt16 = 1
    static let minorVersion: UInt16 = 0
    /// The bit mask of the features required for reading that this version of Larder supports.
    ///
    /// No such features exist yet.
    static let knownReadFeatures: UInt32 = 0
    /// The bit mask of the features required for writing that this version of Larder supports.
    ///
    /// No such features exist yet.
    static let knownWriteFeatures: UInt32 = 0

    enum SlotField {
        static let magic = 0
        static let majorVersion = 8
        static let minorVersion = 10
        static let readFeatures = 12
        static let writeFeatures = 16
        static let ignorableFeatures = 20
        static let fileIdentifier = 24
        static let generation = 40
        static let slotNumber = 48
        static let snapshotEnd = 56
        static let syncedMark = 64
        static let zero = 72
        static let checksum = 508
    }

    // Constants of a frame.
    static let alignment = 8
    static let prologueSize = 16
    package static let maximumFrameLength = 1 << 30
    static let maximumSequence: UInt64 = (1 << 48) - 1

    enum FrameField {
        static let checksum = 0
        static let length = 4
        static let sequenceAndFlags = 8
        static let entries = 16
    }

    enum FrameFlags {
        static let snapshot: UInt16 = 1
        static let known: UInt16 = snapshot
    }

    // Constants of an entry.
    enum EntryKind {
        static let removed: UInt8 = 0
        static let set: UInt8 = 1
        static let setUntil: UInt8 = 2
    }
    static let maximumVariableNumberSize = 5
    static let maximumKeyLength = StoreKey.maximumLength
    static let expirySize = 8

    /// The maximum length in bytes of a frame that is written to mapped memory.
    ///
    /// For longer frames, page faults in the mapping cost more than a system call.
    static let longestMappedFrame = 16 << 10
    /// The maximum encoded size in bytes of a value that is kept in memory.
    ///
    /// Larger values are stored only in the file.
    static let largestValueInMemory = 16_384
    /// The minimum number of bytes to reserve after the end of the log.
    static let smallestReservation = 64 << 10
    /// The number of bytes reserved for short commits on a full disk.
    static let reserve = 16 << 10
    /// The maximum length in bytes of a frame that may use the reserved space on a full disk.
    static let longestFrameInReserve = 1024
    /// The approximate length of a snapshot frame in bytes.
    ///
    /// Short frames limit the amount of data that a single corrupt byte destroys.
    static let snapshotFrameLength = 1024

    static func padded(_ length: Int) -> Int { (length + alignment - 1) & ~(alignment - 1) }

    /// Returns whether a log that ends at `end` and contains `live` bytes of current entries should be compacted in the background.
    @inline(__always)
    static func isCompactionDue(end: Int, live: Int) -> Bool { end - headerSize > dueSize(live: live) }

    /// Returns the log size in bytes at which an automatic compaction starts.
    ///
    /// Every commit calls this function, so the calculation skips overflow checks.
    @inline(__always)
    private static func dueSize(live: Int) -> Int { 2 &* live &+ min(live, 160 << 10) &+ (64 << 10) }

    /// Returns whether a log that ends at `end` is so large that the committing thread must compact the log itself.
    static func isCompactionInevitable(end: Int, live: Int) -> Bool {
        end - headerSize > inevitableSize(live: live)
    }

    /// Returns the log size in bytes above which a commit must compact the log itself.
    ///
    /// At this size, the file, including reserved space, reaches its maximum size.
    private static func inevitableSize(live: Int) -> Int { live / 10 * 22 + (280 << 10) }

    /// Returns how close a log that ends at `end` is to the size at which compaction is inevitable, from 0 to 1.
    ///
    /// The result is 0 up to the midpoint between the sizes at which compaction starts and becomes inevitable, then rises linearly to 1.
    static func compactionPressure(end: Int, live: Int) -> Double {
        let limit = inevitableSize(live: live)
        let middle = (dueSize(live: live) + limit) / 2
        return max(0, min(1, Double(end - headerSize - middle) / Double(limit - middle)))
    }

    /// The maximum delay that a running compaction adds to a commit.
    static let longestPause = Duration.microseconds(25)
    /// The time that a commit waits if the log must be compacted but another call or process is already compacting it.
    static let pauseForOthers = Duration.milliseconds(1)

    /// The delay between the first failed compaction and the next attempt.
    ///
    /// The delay doubles after each further failure.
    static let firstCompactionPause = Duration.seconds(1)
    static let longestCompactionPause = Duration.seconds(60)

    /// Returns the file offset up to which to reserve space for a log that ends at `end`.
    ///
    /// The result is rounded up to whole pages, because mapping a partial page costs the same.
    static func reservation(end: Int, live: Int) -> Int {
        (end + smallestReservation + min(live / 10, 1 << 20)).rounded(up: reservationUnit)
    }

    private static let reservationUnit = 4 << 10

    /// The constants of owner locks, the byte-range locks that a process holds on a log while it may write to the log.
    enum Owner {
        /// The number of high-order bits taken from the hash of the control file's device and inode numbers.
        static let hashBits = 48
        /// The range of owner lock numbers.
        ///
        /// The number of an owner lock is the offset of its locked byte from `SharedLock.firstPlace`.
        static let numbers = first..<first + (1 << hashBits)
        private static let first = (1 << hashBits) - Int(SharedLock.firstPlace)
    }

    /// The constants of the control file, which processes use to coordinate.
    enum Control {
        static let size = 4096
        static let magic: [UInt8] = [0x4C, 0x41, 0x52, 0x44, 0x52, 0x43, 0x54, 0x4C]
        static let version: UInt32 = 1

        static let magicField = 0
        static let versionField = 8
        static let bootField = 192
        static let bootSize = 64
        static let fileIdentifierField = 32
        static let deviceField = 48
        static let inodeField = 56
        static let stateWord = 64
        /// The number of low-order bits in the state word that contain the end of the log.
        static let endBits: UInt64 = 40
        static let pendingEnd = 128
        static let holder = 136
        static let failures = 144
        static let failedGeneration = 152
        static let syncedWord = 160
        static let namedGeneration = 168
        static let lockWord = 176
        static let lastMember = 180
        static let watcher = 184
        static let members = 1024
        static let memberCount = 384
        /// The bit of the lock word that is set while a process is waiting for the lock.
        ///
        /// The other bits contain the member number of the lock's holder.
        static let waitingBit = SharedLock.waitingBit
        /// The file offset of the bytes that member processes lock.
        ///
        /// A member's number is the distance of its locked byte from this offset.
        static let firstMemberLock = SharedLock.firstPlace
        /// The exclusive upper bound of member numbers.
        ///
        /// Numbers wrap around before they reach this bound.
        static let memberLimit = SharedLock.memberLimit
        /// The timeout for acquiring the interprocess lock while its holder is alive.
        static let lockLimit = Duration.seconds(5)
        /// The interval at which a store checks for commits to sync and for commits made by other processes.
        ///
        /// The interval is short enough that a commit is synced to disk within a second.
        static let tick = Duration.milliseconds(400)
        /// The value of the watcher field when several processes watch the store.
        static let severalWatchers = UInt32.max
        /// The value of the pending-end field while a compaction replaces the log.
        static let pendingSwitch: UInt64 = 1
    }
}
