/// A type that runs one check of a contract, such as a store contract.
protocol CheckRun: Sendable {
    /// The error that a failed check throws.
    associatedtype Violation: CheckViolation
    var check: Violation.Check { get }
}

/// An error that a failed check throws.
protocol CheckViolation: Error {
    associatedtype Check
    init(check: Check, explanation: String)
}

extension CheckViolation {
    /// Runs a check and reports its failure as a violation.
    ///
    /// - Parameters:
    ///   - check: The check to name in a violation.
    ///   - failure: The text that precedes the description of an unexpected error, such as "The store threw".
    ///   - body: A closure that performs the check.
    /// - Throws: A violation if the check fails. No other errors are thrown.
    static func run(_ check: Check, _ failure: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let violation as Self {
            throw violation
        } catch {
            throw Self(check: check, explanation: "\(failure) an unexpected error: \(error)")
        }
    }
}

extension CheckRun {
    func require(_ condition: Bool, _ explanation: @autoclosure () -> String) throws {
        guard condition else { throw Violation(check: check, explanation: explanation()) }
    }

    /// Throws a violation unless `body` fails with an error of the given type.
    func requireFailure<Failed: Error, Value>(
        _ type: Failed.Type,
        _ body: () async throws -> Value
    ) async throws {
        let value: Value
        do { value = try await body() } catch {
            try require(error is Failed, "the call should fail with \(type), but failed with \(error)")
            return
        }
        try require(false, "the call should fail with \(type), but returned \(value)")
    }
}
