/// Calls `run` with increasing call numbers, `stride` apart, until the interrupted program makes fewer calls.
///
/// - Parameters:
///   - unit: The unit that the report counts.
///   - name: The name of the program in messages.
///   - step: The distance between the call numbers.
///   - run: A closure that interrupts the program at the call with that number, and returns `false` if the program made fewer calls.
/// - Returns: The number of interrupted calls, and the failures.
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
        report.fail("\(name): the program never ends")
    }
    return report
}
