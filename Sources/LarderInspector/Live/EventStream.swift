#if Inspector
import Synchronization

/// The events that one page has not received yet.
///
/// A page that reads slowly loses the oldest events, and receives what it needs to catch up.
package final class EventStream: Sendable {
    /// A closure that returns the events that wait, followed by the state of what the lost events were about.
    ///
    /// The closure takes the waiting events by calling the closure that it receives. It holds the lock of the state meanwhile, so that no older
    /// state follows a newer one.
    typealias CatchUp = @Sendable (_ waiting: () -> [UInt8]) -> [UInt8]

    private struct State {
        var waiting: [[UInt8]] = []
        var bytes = 0
        var hasLost = false
    }

    private let state = Mutex(State())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation
    private let catchUp: CatchUp
    private let onEnd: @Sendable (EventStream) -> Void

    /// The maximum number of events that wait, and of their bytes.
    private static let (maximumCount, maximumBytes) = (256, 4_000_000)

    init(catchUp: @escaping CatchUp, onEnd: @escaping @Sendable (EventStream) -> Void) {
        self.catchUp = catchUp
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
        let taken = state.withLock { state -> [[UInt8]]? in
            if state.hasLost { return nil }
            defer { state = State() }
            return state.waiting
        }
        if let taken { return Array(taken.joined()) }
        return catchUp {
            let taken = state.withLock { state in
                defer { state = State() }
                return state.waiting
            }
            return Array(taken.joined())
        }
    }

    /// Ends the stream.
    package func end() {
        signal.finish()
        onEnd(self)
    }
}
#endif
