// Optimistic transactions: the body's reads are validated at commit, and a conflict reruns the body.
extension KeyValueStore {
    /// Changes several keys in one atomic commit.
    ///
    /// ```swift
    /// try store.transaction { transaction in
    ///     let count = try transaction.value(Int.self, for: "count") ?? 0
    ///     try transaction.set(count + 1, for: "count")
    /// }
    /// ```
    ///
    /// `body` reads from a consistent snapshot and collects writes through the transaction. No lock is held while `body` runs. If another
    /// writer has changed something that `body` read, the writes of `body` are discarded and **`body` runs again**, so it should have no
    /// other side effects. The first two retries are immediate. Later retries use exponential backoff with jitter: the thread sleeps for a
    /// random time of up to 20 microseconds, doubled with each retry up to 10 milliseconds. 100 attempts wait about half a second in total.
    ///
    /// Calls that `body` makes on the store itself are not part of the transaction. If `body` writes directly to a key that it has read
    /// through the transaction, the transaction conflicts with itself in every attempt and fails with code `conflict`.
    ///
    /// The commit is ``Durability/buffered``. In asynchronous code, prefer `transaction(durability:_:)`, which suspends instead of blocking
    /// the thread.
    ///
    /// - Parameters:
    ///   - attempts: The maximum number of times that `body` runs, which is 100 by default and at least 1.
    ///   - body: A closure that reads and writes through the transaction. If `body` throws, nothing is written.
    /// - Returns: The result of `body` in the attempt that was committed.
    /// - Throws: The error that `body` throws; ``StoreError``, with code `conflict` if no attempt could be committed; `CancellationError`
    ///   if the task was canceled between two attempts. Nothing is changed in these cases.
    public func transaction<Result>(
        attempts: Int = StoreTransaction.defaultAttempts,
        _ body: (inout StoreTransaction) throws -> Result
    ) throws -> Result {
        try transaction(TransactionRetries(limit: attempts), body) { try commit($0) }
    }

    /// Changes several keys in one atomic commit, and blocks until the commit has the given durability.
    ///
    /// In all other respects, this method behaves like ``transaction(attempts:_:)``.
    ///
    /// - Parameters:
    ///   - durability: The durability to wait for.
    ///   - attempts: The maximum number of times that `body` runs, which is 100 by default and at least 1.
    ///   - body: A closure that reads and writes through the transaction. If `body` throws, nothing is written.
    /// - Returns: The result of `body` in the attempt that was committed.
    /// - Throws: The same errors as ``transaction(attempts:_:)``. Nothing is changed, unless a ``StoreError`` says that the commit was made
    ///   but could not be synced to disk.
    @available(
        *,
        noasync,
        message:
            "This call may block on disk I/O. Use `try await transaction(durability:_:)`. At top level, call it in a function."
    )
    public func transaction<Result>(
        durability: Durability,
        attempts: Int = StoreTransaction.defaultAttempts,
        _ body: (inout StoreTransaction) throws -> Result
    ) throws -> Result {
        try transaction(TransactionRetries(limit: attempts), body) { try commit($0, durability: durability) }
    }

    /// Changes several keys in one atomic commit, and suspends until the commit has the given durability.
    ///
    /// ```swift
    /// try await store.transaction(durability: .synced) { transaction in
    ///     let count = try transaction.value(Int.self, for: "count") ?? 0
    ///     try transaction.set(count + 1, for: "count")
    /// }
    /// ```
    ///
    /// `body` runs on the caller's actor. The task suspends during the commit and between attempts. In all other respects, this method
    /// behaves like ``transaction(attempts:_:)``.
    ///
    /// - Parameters:
    ///   - durability: The durability to wait for.
    ///   - attempts: The maximum number of times that `body` runs, which is 100 by default and at least 1.
    ///   - body: A closure that reads and writes through the transaction. If `body` throws, nothing is written.
    /// - Returns: The result of `body` in the attempt that was committed.
    /// - Throws: The same errors as ``transaction(attempts:_:)``. Nothing is changed, unless a ``StoreError`` says that the commit was made
    ///   but could not be synced to disk.
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
