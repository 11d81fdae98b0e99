/// Calls `run` with one number after the other, `stride` apart, until it says that what it cuts short at that call was over before.
///
/// - Parameters:
///   - unit: What is counted.
///   - name: What is cut short, for messages.
///   - step: How far the numbers are apart.
///   - run: Cuts it short at the call of that number; `false` when it made fewer calls.
/// - Returns: How many calls it was cut short at, and what was wrong.
func cutAtEachCall(
    _ unit: String,
    of name: String,
    stride step: Int,
    _ run: (Int, inout ProofReport) throws -> Bool
) -> ProofReport {
    var report = ProofReport(unit: unit)
    report.programs = 1
    silently {
        for index in stride(from: 0, to: 10_000, by: step) {
            do {
                guard try run(index, &report) else { return }
                report.count += 1
            } catch {
                report.fail("\(name), call \(index): \(error)")
            }
        }
        report.fail("\(name): it never ends")
    }
    return report
}
