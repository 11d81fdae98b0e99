import LarderTestSupport

extension ProofReport {
    /// Runs a proof with processes in its own folder, and returns its report.
    ///
    /// An error that `body` throws is reported as a failure.
    static func ofProcesses(
        _ unit: String,
        of name: String,
        _ body: (TemporaryDirectory, inout ProofReport) throws -> Void
    ) -> ProofReport {
        var report = ProofReport(unit: unit)
        report.programs = 1
        do {
            try body(TemporaryDirectory(), &report)
        } catch {
            report.fail("\(name): \(error)")
        }
        return report
    }

    /// Kills a process once `isTime` returns `true`, and counts the kill; `what` describes that condition.
    ///
    /// A process that ends before the kill is reported as a failure.
    mutating func kill(_ helper: HelperProcess, of name: String, when what: String, _ isTime: () -> Bool) throws {
        if let printed = try helper.killWhen(what, isTime) { fail("\(name): the process ended by itself: \(printed)") }
        count += 1
    }
}
