import LarderCore
import Synchronization

// The outbox object that holds the lease sends the pending writes, one after another.
extension OutboxDataSource {
    func afterSending<Value: Sendable>(
        _ query: any StoreQuery,
        _ read: @escaping @Sendable () -> Future<Value>
    ) -> Future<Value> {
        let selection = query.selection
        let isTouched: Bool
        do {
            if try queue.isKnownToBeEmpty() { return read() }
            isTouched = try queue.pending().contains { $0.touches(selection) }
        } catch { return Future(error: error) }
        let now = time.monotonic
        let pause = state.withLock { state in state.pause.flatMap { now < $0.end ? $0 : nil } }
        guard isTouched else {
            // Pending writes do not affect this read, so they are sent concurrently.
            if pause == nil { send() }
            return read()
        }
        let sent = pause.map { Future<Void>(error: $0.error) } ?? replay()
        return sent.recover { [queue] error in
            guard try !queue.pending().contains(where: { $0.touches(selection) }) else { throw error }
            return Future(())
        }.flatMap(read)
    }

    func add(_ verb: OutboxEntry.Verb, _ query: any StoreQuery, _ values: [T]) -> Future<Answer?> {
        let (future, resolver) = Future<Answer?>.pending()
        state.withLock { $0.adding += 1 }
        let added = Result { () throws -> (number: Int64, superseded: [Int64]) in
            let encoded = try values.map { try toData.map($0) }
            return try queue.append(
                { number in
                    OutboxEntry(
                        number: number,
                        verb: verb,
                        selection: query.selection,
                        values: encoded,
                        writtenAt: time.now,
                        session: session
                    )
                },
                supersedingEarlier: sending == .latestOfEachKey
            )
        }
        let now = time.monotonic
        let (answer, isPaused, forgotten) = state.withLock {
            state -> (Result<Answer?, any Error>?, Bool, State.Early) in
            state.adding -= 1
            let early = state.early
            // Released outside the lock: a value's `deinit` may use this outbox.
            if state.adding == 0 { state.early = [:] }
            switch added {
            case .failure(let error): return (.failure(error), true, early)
            case .success((let number, _)):
                state.early[number] = nil
                if let answer = early[number] { return (answer, false, early) }
                if let pause = state.pause, now < pause.end {
                    state.unattended.insert(number)
                    return (.success(nil), true, early)
                }
                state.waiting[number] = resolver
                return (nil, false, early)
            }
        }
        withExtendedLifetime(forgotten) {}
        if let answer { resolver.set(answer) }
        if case .success((_, let superseded)) = added {
            for number in superseded { settle(number, .success(nil)) }
        }
        if !isPaused { send() }
        return future
    }

    /// Starts sending pending writes, unless this outbox object is already sending.
    func send() {
        let begins = state.withLock { state in
            state.hasMore = true
            defer { state.isSending = true }
            return !state.isSending
        }
        if begins { Task { await sendAll() } }
    }

    private func sendAll() async {
        repeat {
            state.withLock { $0.hasMore = false }
            do {
                while try queue.first() != nil {
                    if let remaining = try lease.acquire() {
                        try settleEntriesSentElsewhere()
                        try await time.sleep(for: min(remaining, Self.patience))
                    } else if let entry = try queue.first() {
                        guard try await sent(entry) else { return }
                    }
                }
                try settleEntriesSentElsewhere()
                try lease.release()
            } catch {
                // The outbox can't be read or written. All waiting callers receive the error.
                return stop(error, answering: .failure(error))
            }
        } while !endIfIdle()
    }

    /// The interval at which an outbox object tries to acquire a lease that another object holds.
    private static var patience: Duration { .milliseconds(100) }

    /// Settles the futures of this outbox object's writes that another outbox object has sent.
    private func settleEntriesSentElsewhere() throws {
        let (waiting, unattended) = state.withLock { (Array($0.waiting.keys), Array($0.unattended)) }
        for number in waiting + unattended {
            switch try queue.fate(of: number) {
            case .waits: continue
            case .gone: settle(number, .success(nil))
            case .rejected:
                settle(
                    number,
                    .failure(
                        CoreError.Failed(
                            "The main source rejected a write that another outbox object had sent. Inspect the write with `rejected()`."
                        )
                    )
                )
            }
        }
    }

    /// Sends a pending write to the main source.
    ///
    /// Returns `false` if the main source is unreachable, in which case sending stops.
    private func sent(_ entry: OutboxEntry) async throws -> Bool {
        let values: [T]
        do { values = try entry.values.map { try toValue.map($0) } } catch {
            try refused(entry, error)
            return true
        }
        let answer: Answer
        do {
            answer = try await self.answer(to: entry, values)
            state.withLock { $0.attempts.note(nil) }
        } catch let limit as TimeLimitPassed {
            // The write may have happened, so it stays in the outbox, and later writes must not overtake it.
            let error = FutureError.mayHaveHappened(limit.limit)
            let text = OutboxAttempts.text(error)
            state.withLock { $0.attempts.note(text) }
            stop(error, answering: .success(nil))
            return false
        } catch  where isUnreachable(error) {
            // Outside of the lock, because the description is the user's code.
            let text = OutboxAttempts.text(error)
            state.withLock { $0.attempts.note(text) }
            stop(error, answering: .success(nil))
            return false
        } catch {
            state.withLock { $0.attempts.noteRefusal() }
            try refused(entry, error)
            return true
        }
        try queue.remove(entry.number)
        if entry.session == session { settle(entry.number, .success(answer)) }
        return true
    }

    private func answer(to entry: OutboxEntry, _ values: [T]) async throws -> Answer {
        switch entry.verb {
        case .put: return .value(try await keepingLease(main.put(values.first, in: entry.query)))
        case .putAll: return .list(try await keepingLease(main.putAll(values, in: entry.query)))
        case .delete:
            try await keepingLease(main.delete(entry.query))
            return .nothing
        }
    }

    /// Waits for a future while renewing the lease, and returns the future's value.
    ///
    /// - Throws: The future's error. If the time limit is exceeded, the future is cancelled and ``TimeLimitPassed`` is thrown.
    private func keepingLease<Value>(_ future: Future<Value>) async throws -> Value {
        guard !future.isSettled else { return try await future.value }
        let (limited, resolver) = Future<Value>.pending()
        resolver.set(future)
        let watching = Task { [lease, time, timeLimit] in
            let began = time.monotonic
            var isKept = true
            while true {
                let remaining = timeLimit.map { $0 - (time.monotonic - began) }
                if let timeLimit, let remaining, remaining <= .zero {
                    resolver.set(TimeLimitPassed(limit: timeLimit))
                    return future.cancel()
                }
                let pause = isKept ? min(lease.length / 3, remaining ?? .seconds(3_600)) : remaining
                // If the lease can't be renewed, it expires and another object may send the write again. Delivery is still at least once.
                guard let pause else { return }
                try await time.sleep(for: pause)
                guard isKept else { continue }
                do { isKept = try lease.acquire() == nil } catch { isKept = false }
            }
        }
        defer { watching.cancel() }
        return try await limited.value
    }

    private func refused(_ entry: OutboxEntry, _ error: any Error) throws {
        let isUnattended =
            entry.session != session || state.withLock { $0.unattended.remove(entry.number) != nil }
        guard isUnattended else {
            try queue.remove(entry.number)
            return settle(entry.number, .failure(error))
        }
        try queue.reject(entry.number)
        IssueChannel.shared.report(
            LarderIssue(
                .writeFailed,
                "The main source rejected a write that had been waiting in an outbox. Find the write with `rejected()`, then discard or repeat it.",
                key: (entry.query as? any KeyQuery)?.key,
                underlying: error
            )
        )
    }

    /// Settles the future of the write with the given sequence number, if this outbox object added the write.
    ///
    /// If the write's resolver is not registered yet, the future settles on registration.
    func settle(_ number: Int64, _ result: Result<Answer?, any Error>) {
        let resolver = state.withLock { state -> FutureResolver<Answer?>? in
            if state.unattended.remove(number) != nil { return nil }
            if let waiting = state.waiting.removeValue(forKey: number) { return waiting }
            if state.adding > 0 { state.early[number] = result }
            return nil
        }
        resolver?.set(result)
    }

    /// Stops sending, unless writes were added after the outbox was found to be empty.
    ///
    /// Returns whether sending has stopped.
    private func endIfIdle() -> Bool {
        let replaying = state.withLock { state -> [FutureResolver<Void>]? in
            guard !state.hasMore else { return nil }
            state.isSending = false
            defer { state.replaying = [] }
            return state.replaying
        }
        guard let replaying else { return false }
        for resolver in replaying { resolver.set(()) }
        return true
    }

    /// Stops sending after an error and leaves unsent writes pending.
    ///
    /// Fails the futures of all ``replay()`` calls with `error`, and settles the futures of all waiting writes with `answer`.
    private func stop(_ error: any Error, answering answer: Result<Answer?, any Error>) {
        do { try lease.release() } catch {
            // A lease that is not released expires, so callers receive `error` instead of this error.
        }
        let now = time.monotonic
        let (replaying, waiting, former) = state.withLock { state in
            state.isSending = false
            let former = state.pause
            state.pause = pause > .zero ? Pause(end: now + pause, error: error) : nil
            state.unattended.formUnion(state.waiting.keys)
            defer {
                state.replaying = []
                state.waiting = [:]
            }
            return (state.replaying, Array(state.waiting.values), former)
        }
        withExtendedLifetime(former) {}
        for resolver in waiting { resolver.set(answer) }
        for resolver in replaying { resolver.set(error) }
    }
}

/// An error thrown when a write to the main source exceeds the outbox's time limit.
private struct TimeLimitPassed: Error {
    let limit: Duration
}
