import LarderCore
import LarderFiles

/// The numbers of `Documentation/Formats/device-log-v1.md`, in its order.
package enum LogFormat {
    // Files beside the log.
    static let controlSuffix = ".ctl"
    package static let newSuffix = ".larder-new"
    static let damagedSuffix = ".damaged-"

    // Header slot.
    static let headerSize = 4096
    static let slotSize = 512
    package static let slotOffsets = [0, 2048]
    /// "LARDER", SUB, LF.
    package static let magic: [UInt8] = [0x4C, 0x41, 0x52, 0x44, 0x45, 0x52, 0x1A, 0x0A]
    static let majorVersion: UInt16 = 1
    static let minorVersion: UInt16 = 0
    /// Features that a reader must know: none yet.
    static let knownReadFeatures: UInt32 = 0
    /// Features that a writer must know: none yet.
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

    // Frame.
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

    // Entry.
    enum EntryKind {
        static let removed: UInt8 = 0
        static let set: UInt8 = 1
        static let setUntil: UInt8 = 2
    }
    static let maximumVariableNumberSize = 5
    static let maximumKeyLength = StoreKey.maximumLength
    static let expirySize = 8

    // Writing.
    /// A longer frame is written by a system call.
    static let longestMappedFrame = 64 << 10
    /// Where as much of the log is not on the disk, zeros are written ahead of commits through the map.
    static let unsyncedForZeros = 32 << 10
    /// A value of more encoded bytes than this stays in the file.
    static let largestValueInMemory = 16_384
    /// How much is reserved ahead at least.
    static let smallestReservation = 64 << 10
    /// What of it only small commits may use when the disk is full.
    static let reserve = 16 << 10
    /// The longest frame that may use the reserve.
    static let longestFrameInReserve = 1024
    /// About how long a snapshot frame is: what one damaged byte can cost.
    static let snapshotFrameLength = 1024

    static func padded(_ length: Int) -> Int { (length + alignment - 1) & ~(alignment - 1) }

    // Compaction.
    /// Whether a log that ends at `end` should be compacted when convenient.
    @inline(__always)
    static func isCompactionDue(end: Int, live: Int) -> Bool { end - headerSize > dueSize(live: live) }

    /// In a store of moderate size more may lie than in a small one, for which opening counts, and for its size than in a large one.
    ///
    /// Asked by every commit: without checks for overflow.
    @inline(__always)
    private static func dueSize(live: Int) -> Int { 2 &* live &+ min(live, 160 << 10) &+ (64 << 10) }

    /// Whether a log that ends at `end` must be compacted before anything more is written.
    static func isCompactionInevitable(end: Int, live: Int) -> Bool {
        end - headerSize > inevitableSize(live: live)
    }

    /// With the room reserved behind it the file is then as large as it may be.
    private static func inevitableSize(live: Int) -> Int { live / 10 * 22 + (280 << 10) }

    /// From 0 to 1: how close a log that ends at `end` has come from the middle between "due" and "inevitable" to the latter.
    static func compactionPressure(end: Int, live: Int) -> Double {
        let limit = inevitableSize(live: live)
        let middle = (dueSize(live: live) + limit) / 2
        return max(0, min(1, Double(end - headerSize - middle) / Double(limit - middle)))
    }

    /// How long a commit is slowed down at most while a compaction is under way.
    static let longestPause = Duration.microseconds(25)
    /// The same for one that must not be made before a compaction which is left to others.
    static let pauseForOthers = Duration.milliseconds(1)

    /// How long commits go on without another compaction after one that failed; after each that follows twice as long.
    static let firstCompactionPause = Duration.seconds(1)
    static let longestCompactionPause = Duration.seconds(60)

    /// How far to reserve room in a log that ends at `end`: to a round place, for part of a page takes as long to map as all of it.
    static func reservation(end: Int, live: Int) -> Int {
        (end + smallestReservation + min(live / 10, 1 << 20)).rounded(up: reservationUnit)
    }

    private static let reservationUnit = 4 << 10

    /// Owner locks on the log.
    enum Owner {
        /// Of the hash of a control file's device and inode, the upper bits that count.
        static let hashBits = 48
        /// The numbers of the locks: the byte of one is as far behind `SharedLock.firstPlace`.
        static let numbers = first..<first + (1 << hashBits)
        private static let first = (1 << hashBits) - Int(SharedLock.firstPlace)
    }

    /// The control file.
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
        /// How many of its bits, the lower ones, say where the log ends.
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
        /// In the lock word, beside the holder's number.
        static let waitingBit = SharedLock.waitingBit
        /// A member's lock is on the byte as far behind this one as its number.
        static let firstMemberLock = SharedLock.firstPlace
        /// Numbers of members begin again here.
        static let memberLimit = SharedLock.memberLimit
        /// How long to wait for a holder that lives.
        static let lockLimit = Duration.seconds(5)
        /// How often to look whether something is to be synced, and whether others have written: often enough that a commit is on the disk
        /// within a second.
        static let tick = Duration.milliseconds(400)
        /// In the place of a watcher's number: there is more than one.
        static let severalWatchers = UInt32.max
        /// In the place of a pending end: the log may be another file already.
        static let pendingSwitch: UInt64 = 1
    }
}
