package import LarderCore

extension StoreTable {
    /// Checks every entry against the rules that apply to new writes.
    package func verification() -> StoreVerification {
        var problems: [StoreVerification.Problem] = []
        for (key, value) in allEntries {
            do {
                var batch = StoreBatch()
                // Reserved keys are valid here, because Larder writes them. All other rules apply to entries with reserved keys, too.
                batch.set(value, for: key.isReserved ? StoreKey("") : key)
                try batch.validate()
            } catch {
                problems.append(StoreVerification.Problem("\(error)", key: key.text))
            }
        }
        problems.sort { ($0.key ?? "").precedesByBytes($1.key ?? "") }
        return StoreVerification(checkedEntries: count, problems: problems)
    }
}
