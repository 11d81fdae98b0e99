#if Objects
internal import GRDB
internal import LarderCore
internal import Synchronization

/// Records whether SQLite has detected damage in a manager's database.
///
/// After damage is detected, the manager is read-only, because a write to a damaged file may overwrite pages that are in use.
final class DatabaseHealth: Sendable {
    private let path: String
    private let issues: IssueChannel
    /// The first message that reported damage, or `nil` if no damage was detected.
    private let damage = Mutex<String?>(nil)

    init(path: String, issues: IssueChannel) {
        self.path = path
        self.issues = issues
    }

    /// Whether damage has been detected.
    var isDamaged: Bool { damage.withLock { $0 != nil } }

    /// Converts an error that a statement on this database threw, and records any damage that the error reports.
    ///
    /// A caller that holds a lock passes `report` and reports the issue after it has released the lock.
    func noting(_ error: any Error, report: ((LarderIssue) -> Void)? = nil) -> any Error {
        guard let error = error as? DatabaseError, [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) else {
            return ObjectError.wrapping(error, path: path)
        }
        noteDamage(error.message ?? "error \(error.resultCode.rawValue)", report: report)
        return ObjectError(
            .damaged,
            "The database is damaged, so nothing was changed and this manager is now read-only. Restore a backup, or rename the file and "
                + "create a new database.",
            path: path,
            underlying: error
        )
    }

    /// Records that the database is damaged, and reports an issue on the first call.
    func noteDamage(_ sign: String, report: ((LarderIssue) -> Void)? = nil) {
        let isFirst = damage.withLock { damage in
            defer { damage = damage ?? sign }
            return damage == nil
        }
        guard isFirst else { return }
        let issue = LarderIssue(
            .damaged,
            "SQLite found the database \"\(path)\" damaged (\(ErrorCause.bounded(sign))), so its manager is now read-only. "
                + "Restore a backup, or rename the file and create a new database."
        )
        if let report { report(issue) } else { issues.report(issue) }
    }

    /// Throws ``ObjectError`` with code `damaged` if damage has been recorded.
    func checkWritable() throws {
        guard let sign = damage.withLock(\.self) else { return }
        throw ObjectError(
            .damaged,
            "Nothing was saved because SQLite found the database damaged (\(ErrorCause.bounded(sign))) and this manager is read-only. "
                + "Restore a backup, or rename the file and create a new database.",
            path: path
        )
    }
}
#endif
