import LarderCore
import Synchronization
import Testing

/// Whether `body` throws a ``StoreError`` with this code.
func throwsCode(_ code: StoreError.Code, _ body: () throws -> some Any) -> Bool {
    do {
        _ = try body()
        return false
    } catch {
        return (error as? StoreError)?.code == code
    }
}

/// The codes of the issues that `body` reports.
func issueCodes(_ body: () throws -> Void) rethrows -> [LarderIssue.Code] {
    let codes = Mutex<[LarderIssue.Code]>([])
    try withIssueHandler({ issue in codes.withLock { $0.append(issue.code) } }, operation: body)
    return codes.withLock(\.self)
}

/// Whether there is no value.
func isAbsent(_ value: Any?) -> Bool { value == nil }
