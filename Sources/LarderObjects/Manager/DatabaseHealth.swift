#if Objects
internal import GRDB
internal import LarderCore
internal import Synchronization

/// The corruption state of a manager's database.
///
/// After corruption is detected, the manager is read-only, because writing to a corrupt file can destroy more data.
final class DatabaseHealth: Sendable {
    private let path: String
    private let issues: IssueChannel
    /// The description of the first detected corruption, if any.
    private let damage = Mutex<String?>(nil)

    init(path: String, issues: IssueChannel) {
        self.path = path
        self.issues = issues
    }

    /// Whether corruption has been detected.
    var isDamaged: Bool { damage.withLock { $0 != nil } }

    /// Converts an error thrown by SQLite to ``ObjectError``, and records any corruption.
    ///
    /// If the caller holds a lock, it must pass `report` and report the issue after releasing the lock.
    func noting(_ error: any Error, report: ((LarderIssue) -> Void)? = nil) -> any Error {
        guard let error = error as? DatabaseError, [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) else {
            return ObjectError.wrapping(error, path: path)
        }
        noteDamage(error.message ?? "error \(error.resultCode.rawValue)", report: report)
        return ObjectError(
            .damaged,
            "The database is corrupt, so nothing was changed and this manager is now read-only. Restore a backup, or rename the file and "
                + "create a new database.",
            path: path,
            underlying: error
        )
    }

    /// Records that the database is corrupt, and reports an issue on the first call.
    func noteDamage(_ sign: String, report: ((LarderIssue) -> Void)? = nil) {
        let isFirst = damage.withLock { damage in
            defer { damage = damage ?? sign }
            return damage == nil
        }
        guard isFirst else { return }
        let issue = LarderIssue(
            .damaged,
            "The database \"\(path)\" is corrupt (\(ErrorCause.bounded(sign))), so its manager is now read-only. "
                + "Restore a backup, or rename the file and create a new database."
        )
        if let report { report(issue) } else { issues.report(issue) }
    }

    /// Throws ``ObjectError`` with code `damaged` if corruption has been recorded.
    func checkWritable() throws {
        guard let sign = damage.withLock(\.self) else { return }
        throw ObjectError(
            .damaged,
            "Nothing was saved because the database is corrupt (\(ErrorCause.bounded(sign))) and this manager is read-only. "
                + "Restore a backup, or rename the file and create a new database.",
            path: path
        )
    }
}
#endif
