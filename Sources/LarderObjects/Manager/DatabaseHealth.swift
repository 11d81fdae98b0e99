#if Objects
internal import GRDB
internal import LarderCore
internal import Synchronization

/// Whether SQLite has found the database of a manager damaged.
///
/// From the first sign of damage the manager reads only. What SQLite writes to a damaged file may overwrite pages that are still
/// in use.
final class DatabaseHealth: Sendable {
    private let path: String
    private let issues: IssueChannel
    /// What the first sign of damage was.
    private let damage = Mutex<String?>(nil)

    init(path: String, issues: IssueChannel) {
        self.path = path
        self.issues = issues
    }

    /// Whether damage was found.
    var isDamaged: Bool { damage.withLock { $0 != nil } }

    /// The error to throw for one that a statement of this database failed with; takes note of damage.
    ///
    /// A caller that holds a lock passes `report`, which reports the issue once the lock is released.
    func noting(_ error: any Error, report: ((LarderIssue) -> Void)? = nil) -> any Error {
        guard let error = error as? DatabaseError, [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) else {
            return ObjectError.wrapping(error, path: path)
        }
        noteDamage(error.message ?? "error \(error.resultCode.rawValue)", report: report)
        return ObjectError(
            .damaged,
            "The database is damaged: nothing was changed, and this manager reads only from now on. "
                + "Restore a copy, or move the file aside and start anew.",
            path: path,
            underlying: error
        )
    }

    /// Takes note of damage, which is reported the first time.
    func noteDamage(_ sign: String, report: ((LarderIssue) -> Void)? = nil) {
        let isFirst = damage.withLock { damage in
            defer { damage = damage ?? sign }
            return damage == nil
        }
        guard isFirst else { return }
        let issue = LarderIssue(
            .damaged,
            "SQLite found the database \(path) damaged (\(ErrorCause.bounded(sign))): its manager reads only from now on. "
                + "Restore a copy, or move the file aside and start anew."
        )
        if let report { report(issue) } else { issues.report(issue) }
    }

    /// Throws ``ObjectError`` of code `damaged` if damage was found.
    func checkWritable() throws {
        guard let sign = damage.withLock(\.self) else { return }
        throw ObjectError(
            .damaged,
            "Nothing was saved: SQLite found the database damaged earlier (\(ErrorCause.bounded(sign))), so this manager reads only. "
                + "Restore a copy, or move the file aside and start anew.",
            path: path
        )
    }
}
#endif
