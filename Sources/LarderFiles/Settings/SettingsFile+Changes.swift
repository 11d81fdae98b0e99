import Synchronization

extension SettingsFile {
    /// Returns a sequence of the values of a part of the settings, beginning with the current value.
    ///
    /// A change made in this process is delivered immediately, and a change made by another process within half a second. The sequence does
    /// not repeat equal values, and may combine changes made in quick succession. Values that have not been read yet are buffered in
    /// memory.
    ///
    /// Values are decoded and compared without holding a lock, so the part's `==` operator may use the file.
    ///
    /// - Parameter part: The key path of the part to observe. Use `\.self` for the entire value.
    /// - Returns: The sequence of values, which throws a ``FileError`` and ends when the file can no longer be read.
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
            // Retains this instance while the sequence is read.
            continuation.onTermination = { [self] _ in hub.stopListening(number) }
            look()
        } catch {
            continuation.finish(throwing: error)
        }
        return stream
    }
}

/// The last delivered value of an observed part of the settings.
///
/// Each change is delivered once, in order.
private final class WatchedPart<Part: Equatable & Sendable>: Sendable {
    private struct State {
        var last: Part?
        var isLooking = false
        /// Whether the observed settings may have changed since they were last read.
        var isAskedFor = false
    }

    private let state = Mutex(State())

    /// Reads the observed part of the settings, and passes its value to `tell` if the value has changed.
    ///
    /// If another thread is already reading the part, the call returns immediately, and that thread reads the part again.
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
            // No other thread changes `last` during the read.
            if state.withLock(\.last) == now { continue }
            let former = state.withLock { state in
                defer { state.last = now }
                return state.last
            }
            withExtendedLifetime(former) {}
            tell(now)
        }
    }

    /// Returns whether the observed settings must be read again.
    ///
    /// If not, marks the reading as finished.
    private func isAskedFor() -> Bool {
        state.withLock { state in
            defer { state.isAskedFor = false }
            state.isLooking = state.isAskedFor
            return state.isAskedFor
        }
    }
}
