#if Postgres
import Foundation
import Synchronization

@testable import LarderPostgres

/// A network between engines and a server that ends a connection after a chosen message of PostgreSQL's protocol.
///
/// It can't read encrypted connections.
final class CuttingProxy: Sendable {
    /// Who sends a message.
    enum Side: CaseIterable { case client, server }

    let port: Int
    private let listener: Int32
    private let plan: Plan

    /// Listens on a free port, and forwards connections to another port.
    init(to server: Int) throws {
        let plan = Plan()
        self.plan = plan
        (listener, port) = try LoopbackSocket.listening()
        Thread.detachNewThread { [listener] in
            while case let accepted = accept(listener, nil, nil), accepted >= 0 {
                guard let forwarded = LoopbackSocket.connected(to: server) else {
                    close(accepted)
                    continue
                }
                let sockets = Sockets(client: accepted, server: forwarded)
                for side in Side.allCases {
                    Thread.detachNewThread { sockets.forward(from: side) { plan.counts($0, from: side) } }
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Ends the connection that sends the last one of a number of messages.
    ///
    /// That message still arrives. What the other side sends is lost.
    ///
    /// - Parameters:
    ///   - number: The number of messages from `side`.
    ///   - side: The side whose messages count.
    ///   - beginning: A part of the message of the client with which counting begins, or `nil` to begin at once.
    func cut(after number: Int, from side: Side, beginningWith beginning: String? = nil) {
        plan.next.withLock {
            $0 = Plan.Cut(side: side, messagesLeft: number, beginning: beginning.map { Array($0.utf8) })
        }
    }

    /// Ends no connection any more.
    ///
    /// - Returns: Whether a connection was ended since the last ``cut(after:from:beginningWith:)``.
    func stopCutting() -> Bool {
        plan.next.withLock { next in
            defer { next = nil }
            return next == nil
        }
    }

    /// The next cut.
    private final class Plan: Sendable {
        struct Cut {
            let side: Side
            var messagesLeft: Int
            /// What the first message that counts contains, or `nil` if all messages count.
            var beginning: [UInt8]?
        }

        let next = Mutex<Cut?>(nil)

        /// Counts a message, and returns whether the connection ends after it.
        func counts(_ message: [UInt8], from side: Side) -> Bool {
            next.withLock { next in
                guard var cut = next else { return false }
                if let beginning = cut.beginning {
                    guard side == .client, message.contains(part: beginning) else { return false }
                    cut.beginning = nil
                }
                if side == cut.side { cut.messagesLeft -= 1 }
                next = cut.messagesLeft == 0 ? nil : cut
                return next == nil
            }
        }
    }

    /// The two sockets of a connection, which are closed when both directions have ended.
    private final class Sockets: Sendable {
        private let client: Int32
        private let server: Int32

        init(client: Int32, server: Int32) {
            self.client = client
            self.server = server
        }

        deinit {
            close(client)
            close(server)
        }

        /// Forwards messages in one direction until the sender closes the connection.
        func forward(from side: Side, endsAfter: ([UInt8]) -> Bool) {
            let (source, target) = side == .client ? (client, server) : (server, client)
            var isFirst = side == .client
            while let message = Self.message(from: source, hasKind: !isFirst) {
                isFirst = false
                // It fails after a cut.
                send(target, message, message.count, Int32(MSG_NOSIGNAL))
                if endsAfter(message) {
                    // What was sent still arrives.
                    shutdown(server, Int32(SHUT_WR))
                    shutdown(client, Int32(SHUT_WR))
                }
            }
            shutdown(target, Int32(SHUT_WR))
        }

        /// Reads a message: its kind, unless it is the first one of a client, the length of the rest, and the rest.
        private static func message(from socket: Int32, hasKind: Bool) -> [UInt8]? {
            let begin = hasKind ? 1 : 0
            guard let head = bytes(begin + 4, from: socket),
                let length = UInt32(networkBytes: head[begin...]), length >= 4,
                let body = bytes(Int(length) - 4, from: socket)
            else { return nil }
            return head + body
        }

        private static func bytes(_ count: Int, from socket: Int32) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            var done = 0
            while done < count {
                let found = bytes.withUnsafeMutableBytes { buffer in
                    read(socket, buffer.baseAddress.map { $0 + done }, count - done)
                }
                guard found > 0 else { return nil }
                done += found
            }
            return bytes
        }
    }
}

extension [UInt8] {
    fileprivate func contains(part: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
#endif
