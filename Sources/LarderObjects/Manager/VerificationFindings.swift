#if Objects
internal import LarderCore

/// The first 1,000 problems that a verification found, and the number of further problems.
struct VerificationFindings {
    private static let limit = 1_000

    /// The number of rows that the verification has read.
    var rows = 0
    private var problems: [StoreVerification.Problem] = []
    private var more = 0

    mutating func add(_ message: String, key: String? = nil) {
        if problems.count < Self.limit { problems.append(.init(message, key: key)) } else { more += 1 }
    }

    var result: StoreVerification {
        let rest =
            more > 0
            ? [
                StoreVerification.Problem(
                    "There \(more == 1 ? "is" : "are") \(counted(more, "more problem")). Fix the listed problems, then verify again."
                )
            ]
            : []
        return StoreVerification(checkedEntries: rows, problems: problems + rest)
    }
}
#endif
