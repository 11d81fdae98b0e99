import LarderCore
import LarderFiles
import Synchronization

/// The state of a store after its log was read and before its engine is created.
struct Opened: ~Copyable {
    var path: String
    var control: ControlFile?
    var log: DeviceLog
    var entries: DeviceIndex
    var end: LogPosition
    var fileSize: Int
    var mark: Int
    /// The byte range of the last commit in the log, or an empty range if it is unknown.
    var lastFrame = 0..<0
    /// The failure count in the control file when the store was opened.
    ///
    /// If the count changes, the store must be reopened before it can be written to.
    var failures: UInt64 = 0
    var damage: DeviceStoreDamage?
    var issues: IssueChannel
    var io = DeviceStoreOptions.IO.systemCalls
}

extension Rooms {
    /// Creates an engine's state from an opened store.
    init(_ opened: consuming Opened, _ environment: DeviceEnvironment) {
        let (path, log, end, io) = (opened.path, opened.log, opened.end, opened.io)
        let word = StateWord(generation: log.generation, end: end.offset)
        let sharing = Sharing(opened.control, failuresAtOpening: opened.failures, at: word)
        let writer = LogWriter(log, at: end, size: opened.fileSize, mark: opened.mark, io: io)
        let syncs = SyncQueue(isSynced: opened.mark >= end.offset)
        let (issues, lastFrame, damage) = (opened.issues, opened.lastFrame, opened.damage)
        var entries = opened.entries
        let view = IndexView(entries.memory, entries.hash, shared: sharing.stateWord)
        entries.show(through: view, word)
        self.init(
            Content(
                place: Place(path: path, environment: environment, io: io, damage: damage),
                life: Life(),
                sharing: sharing,
                observers: Observers(issues),
                schedule: CompactionSchedule(),
                syncs: syncs,
                checked: CheckedCommit(),
                view: view,
                writer: Rooms.Locked(Writing(writer)),
                index: Rooms.Locked(Index(entries, of: log, word, lastFrame: lastFrame))
            )
        )
    }
}
