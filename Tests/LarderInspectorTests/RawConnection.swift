#if Inspector
import Foundation

#if canImport(Glibc)
import Glibc
private let stream = Int32(SOCK_STREAM.rawValue)
#else
import Darwin
private let stream = SOCK_STREAM
#endif

/// A connection to a port of this machine, on which a test sends any bytes.
final class RawConnection: Sendable {
    private let descriptor: Int32

    struct Failure: Error {
        let number: Int32
    }

    init(port: Int) throws {
        descriptor = socket(AF_INET, stream, 0)
        guard descriptor >= 0 else { throw Failure(number: errno) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        // A test that hangs fails instead.
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw Failure(number: errno) }
    }

    deinit { close(descriptor) }

    /// Sends bytes, and returns whether the connection was open.
    @discardableResult func send(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Receives bytes until a text occurs or the connection ends.
    func receive(until end: String? = nil) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            if let end, String(decoding: bytes, as: UTF8.self).contains(end) { break }
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Receives the head of an answer, and a body of `count` bytes.
    func receive(bodyOf count: Int) -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var total: Int?
        while total.map({ bytes.count < $0 }) ?? true {
            let received = recv(descriptor, &buffer, buffer.count, 0)
            guard received > 0 else { break }
            bytes += buffer[..<received]
            if total == nil, let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) { total = end.upperBound + count }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Sends a request for a path, and returns the head and body of the answer.
    func get(_ path: String, _ headers: [String] = [], method: String = "GET") -> String {
        let lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1", "Connection: close"] + headers
        send(lines.joined(separator: "\r\n") + "\r\n\r\n")
        return receive()
    }
}
#endif
