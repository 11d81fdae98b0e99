// Optimistic transactions: read, collect writes, commit if everything read still holds, else run again.
extension KeyValueStore {
    /// Changes several keys in one commit: all of the changes are made, or none.
    ///
    /// ```swift
    /// try store.transaction { transaction in
    ///     let count = try transaction.value(Int.self, for: "count") ?? 0
    ///     try transaction.set(count + 1, for: "count")
    /// }
    /// ```
    ///
    /// `body` reads and writes through the transaction it is given; its reads are of one moment. No lock is held while it runs.
    /// When another writer has changed something that `body` read, its writes are dropped and **`body` runs again**, so it should
    /// have no other effects. The first two retries follow at once. Before each later one the thread sleeps for a random time of up
    /// to 20 microseconds, doubled with each retry up to 10 milliseconds: half a second in all for 100 attempts.
    ///
    /// Calls that `body` makes on the store itself are not part of the transaction. A `body` that writes to the store what it has
    /// read through the transaction conflicts with itself in every attempt, and the call ends with code `conflict`.
    ///
    /// The commit is ``Durability/buffered``. In asynchronous code prefer ``transaction(durability:attempts:_:)-(_,_,_)``, which
    /// suspends where this form blocks the thread.
    ///
    /// - Parameters:
    ///   - attempts: How many times `body` runs at most: 100 by default, and at least once.
    ///   - body: Reads and writes. Throwing abandons the transaction.
    /// - Returns: What `body` returned in the attempt that was committed.
    /// - Throws: What `body` threw; ``StoreError``, with code `conflict` when every attempt was overtaken; `CancellationError` when the
    ///   task was cancelled between two attempts. Nothing was changed then.
    public func transaction<Result>(
        attempts: Int = StoreTransaction.defaultAttempts,
        _ body: (inout StoreTransaction) throws -> Result
    ) throws -> Result {
        try transaction(TransactionRetries(limit: attempts), body) { try commit($0) }
    }

    /// Changes several keys in one commit, and returns when the commit has the given durability.
    ///
    /// Otherwise as ``transaction(attempts:_:)``.
    ///
    /// - Parameters:
    ///   - durability: How far the commit has come when this returns.
    ///   - attempts: How many times `body` runs at most: 100 by default, and at least once.
    ///   - body: Reads and writes. Throwing abandons the transaction.
    /// - Returns: What `body` returned in the attempt that was committed.
    /// - Throws: As ``transaction(attempts:_:)``. Nothing was changed then, unless a ``StoreError`` says that the commit was made and that
    ///   the disk then did not confirm it.
    @available(*, noasync, message: "This call may wait for the disk: use `try await transaction(durability:_:)`.")
    public func transaction<Result>(
        durability: Durability,
        attempts: Int = StoreTransaction.defaultAttempts,
        _ body: (inout StoreTransaction) throws -> Result
    ) throws -> Result {
        try transaction(TransactionRetries(limit: attempts), body) { try commit($0, durability: durability) }
    }

    /// Changes several keys in one commit, suspends while it waits, and returns when the commit has the given durability.
    ///
    /// ```swift
    /// try await store.transaction(durability: .synced) { transaction in
    ///     let count = try transaction.value(Int.self, for: "count") ?? 0
    ///     try transaction.set(count + 1, for: "count")
    /// }
    /// ```
    ///
    /// `body` runs on the caller's actor. The commit and the pauses between attempts suspend. Otherwise as
    /// ``transaction(attempts:_:)``.
    ///
    /// - Parameters:
    ///   - durability: How far the commit has come when this returns.
    ///   - attempts: How many times `body` runs at most: 100 by default, and at least once.
    ///   - body: Reads and writes. Throwing abandons the transaction.
    /// - Returns: What `body` returned in the attempt that was committed.
    /// - Throws: As ``transaction(attempts:_:)``. Nothing was changed then, unless a ``StoreError`` says that the commit was made and that
    ///   the disk then did not confirm it.
    nonisolated(nonsending)
        public func transaction<Result>(
            durability: Durability,
            attempts: Int = StoreTransaction.defaultAttempts,
            _ body: (inout StoreTransaction) throws -> Result
        ) async throws -> Result
    {
        var retries = TransactionRetries(limit: attempts)
        while true {
            var transaction = StoreTransaction(self)
            if let result = try transaction.run(body),
                try await commit(transaction.batch, durability: durability)
            {
                return result
            }
            let pause = try retries.pause(after: transaction)
            if pause > .zero { try await SystemTimeSource().sleep(for: pause) } else { await Task.yield() }
        }
    }

    private func transaction<Result>(
        _ retries: TransactionRetries,
        _ body: (inout StoreTransaction) throws -> Result,
        commit: (StoreBatch) throws -> Bool
    ) throws -> Result {
        var retries = retries
        while true {
            var transaction = StoreTransaction(self)
            if let result = try transaction.run(body), try commit(transaction.batch) { return result }
            let pause = try retries.pause(after: transaction)
            if pause > .zero { CurrentThread.sleep(for: pause) }
        }
    }
}
