import Synchronization

extension SettingsFile {
    /// One part of the value now, and again each time it has changed; never the same twice in a row.
    ///
    /// A change made in this process is seen at once, whichever instance made it. One made by another process is seen when
    /// any instance in this process next reads or writes, and within half a second at most: for that the file system is asked
    /// twice a second while anybody reads. Values that come faster than they are read wait in memory.
    ///
    /// - Parameter part: Which; `\.self` for the whole value.
    /// - Returns: The values. Reading ends with a ``FileError`` when the file can't be read any more.
    public func changes<Part: Equatable & Sendable>(
        for part: any KeyPath<Value, Part> & Sendable
    ) -> AsyncThrowingStream<Part, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: Part.self)
        let last = LastValue<Part>()
        let look: @Sendable () -> Void = { [weak self] in
            guard let self else { return }
            do {
                try last.offer({ (try self.current().settings?.value ?? self.defaults)[keyPath: part] }) {
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
private final class LastValue<Part: Equatable & Sendable>: Sendable {
    private let value = Mutex<Part?>(nil)

    func offer(_ read: () throws -> Part, _ tell: (Part) -> Void) throws {
        try value.withLock { last in
            let now = try read()
            if last == now { return }
            last = now
            tell(now)
        }
    }
}
