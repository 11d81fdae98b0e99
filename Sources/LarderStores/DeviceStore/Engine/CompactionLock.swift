import Foundation
import Synchronization

/// What a compaction or a backup holds, so that only one of them is under way.
///
/// It is the one lock that is held while a caller's code runs, which is told of the progress and may write: what that makes due on
/// its own thread must not wait for itself.
struct CompactionLock: ~Copyable {
    private let lock = Mutex(())
    /// The thread that holds it, or 0.
    ///
    /// Only a thread that set it finds itself there, and it does not end before it has taken it back.
    private let holder = Atomic<UInt>(0)

    private static var thisThread: UInt { UInt(bitPattern: ObjectIdentifier(Thread.current)) }

    /// Whether the caller is called by who holds it.
    var isHeldHere: Bool { holder.load(ordering: .relaxed) == Self.thisThread }

    /// Runs `body` when nobody else holds it; `nil` when whoever does has called the caller.
    func withLock<Result>(_ body: () throws -> Result) rethrows -> Result? {
        guard !isHeldHere else { return nil }
        return try lock.withLock { _ in
            holder.store(Self.thisThread, ordering: .relaxed)
            defer { holder.store(0, ordering: .relaxed) }
            return try body()
        }
    }
}
