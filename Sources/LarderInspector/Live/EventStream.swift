#if Inspector
import Synchronization

/// The events that one page has not received yet.
///
/// A page that reads slowly loses the oldest events, and learns that it has missed some.
package final class EventStream: Sendable {
    private struct State {
        var waiting: [[UInt8]] = []
        var bytes = 0
        var hasLost = false
    }

    private let state = Mutex(State())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    /// The events that say that changes were missed.
    private let missed: [UInt8]
    private let onEnd: @Sendable (EventStream) -> Void

    /// The maximum number of events that wait, and of their bytes.
    private static let (maximumCount, maximumBytes) = (256, 4_000_000)

    init(missed: [UInt8], onEnd: @escaping @Sendable (EventStream) -> Void) {
        self.missed = missed
        self.onEnd = onEnd
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Adds an event in the format of server-sent events.
    func add(_ bytes: [UInt8]) {
        state.withLock { state in
            if state.waiting.count >= Self.maximumCount || state.bytes + bytes.count > Self.maximumBytes {
                state = State(hasLost: true)
            }
            state.waiting.append(bytes)
            state.bytes += bytes.count
        }
        signal.yield()
    }

    /// Calls a closure with the bytes of the events, one call at a time, until the stream ends or the task is canceled.
    package func forEach(_ body: ([UInt8]) async throws -> Void) async throws {
        defer { end() }
        for await _ in signals {
            let bytes = take()
            if !bytes.isEmpty { try await body(bytes) }
        }
    }

    /// Returns all waiting events, and removes them.
    package func take() -> [UInt8] {
        let taken = state.withLock { state in
            defer { state = State() }
            return state
        }
        return (taken.hasLost ? missed : []) + taken.waiting.joined()
    }

    /// Ends the stream.
    package func end() {
        signal.finish()
        onEnd(self)
    }
}
#endif
