#if Postgres
import Foundation
import Synchronization

/// A socket on the loopback interface that accepts connections and answers each with fixed bytes, in place of a server.
final class LoopbackSocket: Sendable {
    struct Failure: Error {}

    let port: Int
    private let descriptor: Int32

    /// Listens on a free port.
    ///
    /// - Parameter answer: A closure that returns what to send after each part that arrives, or `nil` to send nothing.
    /// - Throws: `Failure` if there is no free port.
    init(answer: @escaping @Sendable ([UInt8]) -> [UInt8]?) throws {
        (descriptor, port) = try Self.listening()
        Thread.detachNewThread { [descriptor] in
            while true {
                let accepted = accept(descriptor, nil, nil)
                guard accepted >= 0 else { return }
                Thread.detachNewThread {
                    var buffer = [UInt8](repeating: 0, count: 1 << 16)
                    while case let count = read(accepted, &buffer, buffer.count), count > 0 {
                        guard let bytes = answer(Array(buffer[..<count])) else { continue }
                        send(accepted, bytes, bytes.count, Int32(MSG_NOSIGNAL))
                    }
                    close(accepted)
                }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// Returns a port that is free at the moment.
    static func freePort() throws -> Int {
        let (descriptor, port) = try bound()
        close(descriptor)
        return port
    }

    /// Returns a socket that listens on a free port.
    static func listening() throws -> (descriptor: Int32, port: Int) {
        let (descriptor, port) = try bound()
        guard listen(descriptor, 16) == 0 else {
            close(descriptor)
            throw Failure()
        }
        return (descriptor, port)
    }

    /// Returns a socket that is connected to a port, or `nil` if there is no server.
    static func connected(to port: Int) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return descriptor }
        close(descriptor)
        return nil
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(INADDR_LOOPBACK).bigEndian
        address.sin_port = UInt16(port).bigEndian
        return address
    }

    private static func bound() throws -> (descriptor: Int32, port: Int) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = loopback(0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else {
            close(descriptor)
            throw Failure()
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }
}
#endif
