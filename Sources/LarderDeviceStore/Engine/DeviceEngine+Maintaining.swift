import LarderCore
import LarderFiles
import Synchronization

// Who may copy the log: one call in this process at a time.
extension DeviceEngine {
    /// Runs `body` while nothing else in this process compacts the log or backs it up.
    ///
    /// Waits for what does, but never for a caller's code: what tells a caller how far it is keeps everything else out without
    /// holding a lock, so that whatever this code does, and whomever it waits for, it does not end up waiting for itself.
    ///
    /// - Parameters:
    ///   - isTold: Whether `body` calls a caller's code.
    ///   - body: What copies the log.
    /// - Returns: What `body` does; `nil` without running it while a caller's code is told of another one.
    /// - Throws: What `body` does.
    func maintaining<Result: Sendable>(isTold: Bool, _ body: () throws -> Result) throws -> Result? {
        if isTold { return try telling(body) }
        return try compacting.withLock { _ in
            guard !isTelling.load(ordering: .acquiring) else { return nil }
            return try body()
        }
    }

    private func telling<Result: Sendable>(_ body: () throws -> Result) throws -> Result? {
        let isFirst = compacting.withLock { _ in !isTelling.exchange(true, ordering: .acquiringAndReleasing) }
        guard isFirst else { return nil }
        let result: Result
        do {
            defer { isTelling.store(false, ordering: .releasing) }
            result = try body()
        }
        // What commits went without meanwhile.
        let (end, live) = memory.withLock { ($0.word.end, $0.index.liveBytes) }
        if LogFormat.isCompactionDue(end: end, live: live) { compactSoon(Outcome(number: nil, end: end, live: live)) }
        return result
    }
}
