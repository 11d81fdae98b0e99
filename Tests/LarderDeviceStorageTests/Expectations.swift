import LarderCore
import Synchronization
import Testing

/// Returns whether `body` throws a ``StoreError`` with the given code.
func throwsCode(_ code: StoreError.Code, _ body: () throws -> some Any) -> Bool {
    do {
        _ = try body()
        return false
    } catch {
        return (error as? StoreError)?.code == code
    }
}

/// Returns the codes of the issues that `body` reports.
func issueCodes(_ body: () throws -> Void) rethrows -> [LarderIssue.Code] {
    let codes = Mutex<[LarderIssue.Code]>([])
    try withIssueHandler({ issue in codes.withLock { $0.append(issue.code) } }, operation: body)
    return codes.withLock(\.self)
}

/// Returns whether a value of type `Any?` is `nil`.
func isAbsent(_ value: Any?) -> Bool { value == nil }
