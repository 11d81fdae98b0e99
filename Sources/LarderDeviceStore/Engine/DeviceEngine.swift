import LarderCore
import LarderFiles
import Synchronization

/// What all instances of ``DeviceStore`` over one file in this process share.
///
/// Holds the rooms; everything else is done by procedures that take turns. See decision 0054.
final class DeviceEngine: Sendable {
    let rooms: Rooms
    /// Looks at the index without a lock, for as long as this lives.
    let view: IndexView
    let path: String
    let io: DeviceStoreOptions.IO
    let damage: DeviceStoreDamage?
    let issues: IssueChannel
    /// Which file it is; `nil` for a read-only store.
    let identity: FileInformation?

    /// An engine of `rooms`, which nothing else has.
    init(_ rooms: consuming Rooms) {
        self.rooms = rooms
        (view, path, io, damage, issues, identity) = self.rooms.constants
    }

    /// Runs `body` as a use of the engine, by a thread that holds none of its locks.
    @inline(__always)
    func enter<Result: ~Copyable, Failure: Error>(
        _ body: (inout Entrance) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try Entrance.enter(self, body)
    }
}
