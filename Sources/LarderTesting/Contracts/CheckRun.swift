/// One run of one check of a contract, for a store, a source or a repository.
protocol CheckRun: Sendable {
    /// What a check that fails throws.
    associatedtype Violation: CheckViolation
    var check: Violation.Check { get }
}

/// What a check of a contract throws when it fails.
protocol CheckViolation: Error {
    associatedtype Check
    init(check: Check, explanation: String)
}

extension CheckViolation {
    /// Runs a check.
    ///
    /// - Parameters:
    ///   - check: Which.
    ///   - failure: What it means that something else is thrown, such as "The store threw".
    ///   - body: The check.
    /// - Throws: Only violations.
    static func run(_ check: Check, _ failure: String, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let violation as Self {
            throw violation
        } catch {
            throw Self(check: check, explanation: "\(failure) where it must not: \(error)")
        }
    }
}

extension CheckRun {
    func require(_ condition: Bool, _ explanation: @autoclosure () -> String) throws {
        guard condition else { throw Violation(check: check, explanation: explanation()) }
    }

    /// Requires `body` to fail with an error of a type.
    func requireFailure<Failed: Error, Value>(
        _ type: Failed.Type,
        _ body: () async throws -> Value
    ) async throws {
        let value: Value
        do { value = try await body() } catch {
            try require(error is Failed, "it should fail with \(type), but did with \(error)")
            return
        }
        try require(false, "it should fail with \(type), but returned \(value)")
    }
}
