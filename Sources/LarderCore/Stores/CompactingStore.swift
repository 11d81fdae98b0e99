/// A store whose file contains replaced and removed entries until the file is compacted.
package protocol CompactingStore: KeyValueStore {
    /// Rewrites the file with only the current entries.
    ///
    /// - Throws: ``StoreError`` if the file cannot be rewritten. A failed compaction does not change the store.
    func compact() throws
}

/// A store that tells the progress of its verification.
package protocol VerifyingStore: KeyValueStore {
    /// Verifies the store like ``KeyValueStore/verify()``.
    ///
    /// - Parameter progress: A closure that is called with the progress, and throws to cancel the verification.
    /// - Returns: The number of checked entries and all problems found.
    /// - Throws: What `progress` throws, or an error if the check can't be carried out.
    func runVerification(telling progress: (StoreProgress) throws -> Void) throws -> StoreVerification
}

extension KeyValueStore {
    /// Verifies the store, and tells the progress as well as the store can.
    ///
    /// - Parameter progress: A closure that is called with the progress, and throws to cancel the verification.
    /// - Returns: The number of checked entries and all problems found.
    /// - Throws: What `progress` throws, or an error if the check can't be carried out.
    package func verification(telling progress: (StoreProgress) throws -> Void) throws -> StoreVerification {
        if let store = self as? any VerifyingStore { return try store.runVerification(telling: progress) }
        if let store = self as? any TransparentStore { return try store.wrappedStore.verification(telling: progress) }
        try progress(StoreProgress(completed: 0, total: 1))
        let verification = try verify()
        try progress(StoreProgress(completed: 1, total: 1))
        return verification
    }
}

extension StoreProgress {
    /// The total of progress that consists of several parts.
    private static let parts = 1_000

    /// Returns the progress of an operation of which this is the progress of one part.
    ///
    /// - Parameters:
    ///   - part: The number of the part, from 0.
    ///   - count: The number of parts.
    /// - Returns: The progress of the whole operation.
    package func asPart(_ part: Int, of count: Int) -> StoreProgress {
        let completed = (Double(part) + fraction) * Double(Self.parts) / Double(count)
        return StoreProgress(completed: Int(completed), total: Self.parts)
    }
}
