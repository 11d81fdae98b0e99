#if Inspector
import HummingbirdCore
import Logging
import NIOCore
import Synchronization

/// The number of open connections.
final class ConnectionCount: Sendable {
    private let limit: Int
    private let count = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// Counts a connection, and returns whether it is within the limit.
    func admit() -> Bool {
        count.withLock { count in
            count += 1
            return count <= limit
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}

/// A channel of HTTP/1 with limits for connections, sizes and time.
struct LimitedChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let base: HTTP1Channel
    let connections: ConnectionCount
    let patience: TimeAmount

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let isAccepted = connections.admit()
        channel.closeFuture.whenComplete { _ in connections.leave() }
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ConnectionLimits(patience: patience))
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }.map { value in
            // An error instead would end the server.
            if !isAccepted { channel.close(promise: nil) }
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

/// What the server does with a request, as a user event for ``ConnectionLimits``.
enum RequestProgress: Sendable {
    /// The request was received. The closure is called if the client goes before the answer begins.
    case received(onGone: @Sendable () -> Void)
    /// The answer begins.
    case answering
    /// The whole answer was written.
    case answered
}

/// Closes a connection whose client sends more than a request, or takes too long to send it or to receive the answer.
///
/// Every limit begins anew when the server writes. What is written before the first ``RequestProgress/answering`` is the server's own answer to
/// something that is not HTTP, and is replaced by one that the API describes.
final class ConnectionLimits: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let patience: TimeAmount
    /// The bytes that were received since the server wrote the last time.
    private var received = 0
    /// The closing of the connection if the server does not write, or the client does not read, in time.
    private var deadline: Scheduled<Void>?
    private var isClosing = false
    private var isAnswering = false
    private var hasAnswered = false
    private var isInputClosed = false
    private var onGone: (@Sendable () -> Void)?

    /// The maximum size of a request in bytes.
    static let maximumRequest = 98_304

    init(patience: TimeAmount) { self.patience = patience }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        received += unwrapInboundIn(data).readableBytes
        guard received <= Self.maximumRequest else {
            gone()
            // Another answer must not begin within one.
            return isAnswering ? context.close(promise: nil) : refuse(context, with: Self.tooLarge)
        }
        if deadline == nil { begin(context) }
        context.fireChannelRead(data)
    }

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard let progress = event as? RequestProgress else {
            return context.triggerUserOutboundEvent(event, promise: promise)
        }
        switch progress {
        case .received(let onGone):
            self.onGone = onGone
            // A client that closes its side does not wait for an answer.
            if isInputClosed { gone() }
        case .answering:
            onGone = nil
            isAnswering = true
            hasAnswered = true
        case .answered: isAnswering = false
        }
        promise?.succeed()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed {
            isInputClosed = true
            gone()
            if isClosing { context.close(promise: nil) }
        }
        context.fireUserInboundEventTriggered(event)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosing else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        guard hasAnswered else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return refuse(context, with: Self.malformed)
        }
        received = 0
        end()
        context.write(data, promise: promise)
        if !context.channel.isWritable { begin(context) }
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        context.close(mode: mode, promise: promise)
        guard mode == .output else { return }
        // Nothing reads any more, so the end of the client's side would only be noticed at the deadline.
        isClosing = true
        end()
        begin(context, within: min(patience, .seconds(1)))
        context.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if !isClosing {
            end()
            if !context.channel.isWritable { begin(context) }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        gone()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func begin(_ context: ChannelHandlerContext, within patience: TimeAmount? = nil) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: patience ?? self.patience) {
            context.close(promise: nil)
        }
    }

    private func end() {
        deadline?.cancel()
        deadline = nil
    }

    private func gone() {
        onGone?()
        onGone = nil
    }

    // MARK: Refusing

    /// Sends an answer and closes the connection, as soon as the client has received the answer or after a second.
    private func refuse(_ context: ChannelHandlerContext, with answer: ByteBuffer) {
        isClosing = true
        end()
        begin(context, within: min(patience, .seconds(1)))
        // Closing both sides at once could discard the answer, because the client may still send.
        context.writeAndFlush(wrapOutboundOut(answer)).assumeIsolated().whenComplete { _ in
            context.close(mode: .output, promise: nil)
        }
    }

    private static let tooLarge = answer(
        "413 Content Too Large",
        Refusal(413, "tooLarge", "The request is longer than \(maximumRequest) bytes. Use a shorter key or filter.")
    )
    private static let malformed = answer(
        "400 Bad Request",
        .badRequest("The request is not HTTP/1.1, or its headers are too long. Send a shorter request of HTTP/1.1.")
    )

    private static func answer(_ status: String, _ refusal: Refusal) -> ByteBuffer {
        var answer = InspectorAnswer(refusal)
        guard case .bytes(let body) = answer.body else { return ByteBuffer() }
        answer.headers += Page.safetyHeaders
        answer.headers += [("Connection", "close"), ("Content-Length", String(body.count))]
        let head = answer.headers.map { "\($0.name): \($0.value)\r\n" }.joined()
        var buffer = ByteBuffer(string: "HTTP/1.1 \(status)\r\n\(head)\r\n")
        buffer.writeBytes(body)
        return buffer
    }
}
#endif
