import FeatureFlags
import Hummingbird
import LarderCore
import LarderReplication
import ServiceLifecycle

/// The stream of flags for one browser: all flags, then each change.
struct FlagEvents: Sendable {
    let store: ReplicatedStore
    let board: FlagBoard

    /// The number of changes that a browser may be behind.
    ///
    /// One that is further behind is disconnected. It connects again and receives all flags.
    private static let mostWaiting = 100

    func response(to request: Request) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = "text/event-stream"
        headers[.cacheControl] = "no-cache"
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody { writer in
                let (flags, waiting) = AsyncStream.makeStream(
                    of: FlagState.self,
                    bufferingPolicy: .bufferingOldest(Self.mostWaiting)
                )
                // Observed before the flags are read, so that no change is missed in between.
                let observation = store.observe(prefix: FlagBoard.prefix) { event in
                    for flag in board.flags(changedBy: event) {
                        if case .dropped = waiting.yield(flag) { waiting.finish() }
                    }
                }
                defer { observation.cancel() }
                for flag in board.all { try await writer.write(ByteBuffer(string: ServerSentEvent("flag", flag).text)) }
                try await withGracefulShutdownHandler {
                    try await request.body.consumeWithInboundCloseHandler { _ in
                        for await flag in flags {
                            try await writer.write(ByteBuffer(string: ServerSentEvent("flag", flag).text))
                        }
                    } onInboundClosed: {
                        waiting.finish()
                    }
                } onGracefulShutdown: {
                    waiting.finish()
                }
                try await writer.finish(nil)
            }
        )
    }
}
