package import LarderCore

extension StoreTable {
    /// Checks every entry as if it were written now.
    package func verification() -> StoreVerification {
        var problems: [StoreVerification.Problem] = []
        for (key, value) in allEntries {
            do {
                var batch = StoreBatch()
                // A reserved key was let in because Larder itself wrote it; the rest of the rules hold for it too.
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
