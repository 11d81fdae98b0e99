import Foundation

/// A connection to an instance, which makes one request.
///
/// This is enough for a server on the same machine. It is no general client.
final class HTTPConnection {
    private let port: UInt16
    private let descriptor: Int32
    private var received: [UInt8] = []

    init(port: UInt16, timeout seconds: Int = 20) throws {
        self.port = port
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        var address = loopback(port)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw DemoFailure("Nothing listens on port \(port).") }
    }

    deinit { close(descriptor) }

    /// Ends the connection, also while another thread reads from it.
    func cut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    func send(_ method: String, _ path: String, _ body: String = "", headers: [String: String] = [:]) throws {
        let others = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        let head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n" + others
        let type = body.isEmpty ? "" : "Content-Type: application/json\r\n"
        let bytes = Array((head + type + "Content-Length: \(body.utf8.count)\r\n\r\n" + body).utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { sendBytes(descriptor, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { throw DemoFailure("The instance closed the connection.") }
            sent += count
        }
    }

    /// Returns the next line without its line break, or `nil` at the end of the connection.
    ///
    /// In a chunked answer the lengths of the chunks are lines as well, which callers recognize and skip.
    func line() -> String? {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                var line = received[..<end]
                if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
                let text = String(decoding: line, as: UTF8.self)
                received.removeFirst(end + 1)
                return text
            }
            guard receive() else { return nil }
        }
    }

    /// Returns the status and the body of the answer.
    func answer() throws -> (status: Int, body: Data) {
        guard let first = line(), let status = first.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
            throw DemoFailure("The instance did not answer.")
        }
        while let header = line(), !header.isEmpty {}
        while receive() {}
        return (status, Data(received))
    }

    private func receive() -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
        guard count > 0 else { return false }
        received += buffer[..<count]
        return true
    }
}

/// The system's `send`, whose name a method hides.
private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes, count, flags)
}
