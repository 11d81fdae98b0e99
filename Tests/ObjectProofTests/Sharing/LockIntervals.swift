#if Objects
import CObjectStorageFaults
import Foundation

/// The intervals in which connections of several processes held SQLite's locks.
struct LockIntervals {
    /// How an interval is measured.
    enum Measure {
        /// The connection held the lock at all of these times.
        case certain
        /// The connection held the lock at no other time.
        case possible
    }

    let all: [larder_lock_interval]

    /// Reads a log that `larder_intervals_record` wrote.
    init(contentsOf url: URL) throws {
        let bytes = try Data(contentsOf: url)
        all = bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: MemoryLayout<larder_lock_interval>.stride).map {
                bytes.loadUnaligned(fromByteOffset: $0, as: larder_lock_interval.self)
            }
        }
    }

    /// Returns the intervals of a lock.
    private func intervals(of lock: larder_lock) -> [larder_lock_interval] {
        all.filter { $0.lock == Int32(bitPattern: lock.rawValue) }
    }

    /// The transactions that wrote to the log.
    ///
    /// Other transactions have nothing to commit.
    var commits: [larder_lock_interval] { intervals(of: LARDER_LOCK_WRITE).filter { $0.writes > 0 } }
    /// The checkpoints under the checkpoint byte, even those that had nothing to copy.
    var checkpoints: [larder_lock_interval] { intervals(of: LARDER_LOCK_CHECKPOINT) }
    /// The exclusive locks on a file.
    var exclusive: [larder_lock_interval] { intervals(of: LARDER_LOCK_FILE) }
    /// The writes to a database file under none of the locks that a checkpoint requires.
    var unlocked: [larder_lock_interval] { intervals(of: LARDER_LOCK_COUNT) }

    /// Returns the pairs of a commit and a checkpoint of another connection that overlap.
    ///
    /// An exclusive lock is certain in either measure, because a process that waits to be scheduled does not have it yet.
    func overlaps(_ measure: Measure) -> [(commit: larder_lock_interval, checkpoint: larder_lock_interval)] {
        let spans =
            commits.map { Span($0, isCommit: true, measure) }
            + checkpoints.map { Span($0, isCommit: false, measure) }
            + exclusive.map { Span($0, isCommit: false, .certain) }
        var (current, overlaps): ([Span], [(larder_lock_interval, larder_lock_interval)]) = ([], [])
        for span in spans.sorted(by: { $0.begin < $1.begin }) {
            current.removeAll { $0.end <= span.begin }
            for other in current where other.isCommit != span.isCommit && other.isOfOtherConnection(than: span) {
                overlaps.append(span.isCommit ? (span.interval, other.interval) : (other.interval, span.interval))
            }
            current.append(span)
        }
        return overlaps
    }

    private struct Span {
        let interval: larder_lock_interval
        let isCommit: Bool
        let begin: Int64
        let end: Int64

        init(_ interval: larder_lock_interval, isCommit: Bool, _ measure: Measure) {
            (self.interval, self.isCommit) = (interval, isCommit)
            begin = measure == .certain ? interval.acquired : interval.asked
            end = measure == .certain ? interval.releasing : interval.released
        }

        func isOfOtherConnection(than other: Span) -> Bool {
            interval.file == other.interval.file
                && (interval.process, interval.connection) != (other.interval.process, other.interval.connection)
        }
    }
}
#endif
