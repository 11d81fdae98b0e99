import Synchronization

extension SettingsFile {
    /// One part of the value now, and again each time it has changed; never the same twice in a row.
    ///
    /// A change made in this process is seen at once, whichever instance made it. One made by another process is seen when
    /// any instance in this process next reads or writes, and within half a second at most: for that the file system is asked
    /// twice a second while a reader waits. Values that come faster than they are read wait in memory. Changes that are made while
    /// another thread compares an earlier one arrive as one.
    ///
    /// Values are decoded and compared outside every lock: `==` of the part may use the file.
    ///
    /// - Parameter part: Which; `\.self` for the whole value.
    /// - Returns: The values. Reading ends with a ``FileError`` when the file can't be read any more.
    public func changes<Part: Equatable & Sendable>(
        for part: any KeyPath<Value, Part> & Sendable
    ) -> AsyncThrowingStream<Part, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Part.self)
        let watched = WatchedPart<Part>()
        let look: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            do {
                try watched.look({ (try self.current().settings?.value ?? self.defaults)[keyPath: part] }) {
                    continuation.yield($0)
                }
            } catch {
                continuation.finish(throwing: error)
            }
        }
        do {
            let number = try hub.listen(look)
            // Holds this instance for as long as somebody reads.
            continuation.onTermination = { [self] _ in hub.stopListening(number) }
            look()
        } catch {
            continuation.finish(throwing: error)
        }
        return stream
    }
}

/// What was told last, so that nothing is told twice, and in which order.
private final class WatchedPart<Part: Equatable & Sendable>: Sendable {
    private struct State {
        var last: Part?
        var isLooking = false
        /// Whether there may be something new since the looking thread has last read.
        var isAskedFor = false
    }

    private let state = Mutex(State())

    /// Reads and tells what is new; if another thread is at it, that one reads once more.
    func look(_ read: () throws -> Part, _ tell: (Part) -> Void) throws {
        let begins = state.withLock { state in
            state.isAskedFor = true
            defer { state.isLooking = true }
            return !state.isLooking
        }
        guard begins else { return }
        while isAskedFor() {
            let now: Part
            do { now = try read() } catch {
                state.withLock { $0.isLooking = false }
                throw error
            }
            // No other thread changes it meanwhile.
            if state.withLock(\.last) == now { continue }
            let former = state.withLock { state in
                defer { state.last = now }
                return state.last
            }
            withExtendedLifetime(former) {}
            tell(now)
        }
    }

    /// Whether to read once more; looking is over if not.
    private func isAskedFor() -> Bool {
        state.withLock { state in
            defer { state.isAskedFor = false }
            state.isLooking = state.isAskedFor
            return state.isAskedFor
        }
    }
}
