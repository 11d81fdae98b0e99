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

/// Closes a connection whose client sends more than a request, or takes too long to send it or to receive the answer.
///
/// Every limit begins anew when the server writes.
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

    /// The maximum size of a request in bytes.
    static let maximumRequest = 98_304

    init(patience: TimeAmount) { self.patience = patience }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isClosing else { return }
        received += unwrapInboundIn(data).readableBytes
        guard received <= Self.maximumRequest else { return refuse(context) }
        if deadline == nil { begin(context) }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !isClosing else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
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

    private func refuse(_ context: ChannelHandlerContext) {
        isClosing = true
        end()
        let answer = ByteBuffer(
            string: "HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        )
        context.writeAndFlush(wrapOutboundOut(answer)).assumeIsolated().whenComplete { _ in context.close(promise: nil)
        }
    }
}
#endif
