package import LarderCore

extension StoreTable {
    /// Checks every entry against the rules that apply to new writes.
    package func verification() -> StoreVerification { verification { _ in } }

    /// Checks every entry against the rules that apply to new writes, and tells the progress.
    ///
    /// - Parameter progress: A closure that is called with the number of checked entries now and then, and throws to cancel the check.
    /// - Returns: The number of entries and all problems found.
    package func verification(telling progress: (StoreProgress) throws -> Void) rethrows -> StoreVerification {
        var problems: [StoreVerification.Problem] = []
        for (number, (key, value)) in allEntries.enumerated() {
            if number % 1_024 == 0 { try progress(StoreProgress(completed: number, total: count)) }
            do {
                var batch = StoreBatch()
                // Reserved keys are valid here, because Larder writes them. All other rules apply to entries with reserved keys, too.
                batch.set(value, for: key.isReserved ? StoreKey("") : key)
                try batch.validate()
            } catch {
                problems.append(StoreVerification.Problem("\(error)", key: key.text))
            }
        }
        try progress(StoreProgress(completed: count, total: count))
        problems.sort { ($0.key ?? "").precedesByBytes($1.key ?? "") }
        return StoreVerification(checkedEntries: count, problems: problems)
    }
}
