#if Inspector
import HTTPTypes
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle

/// The server that receives requests for an ``InspectorAPI`` by HTTP/1.1.
struct InspectorServer {
    private let api: InspectorAPI
    private let options: InspectorOptions
    private let encryption: TLSConfiguration?

    init(_ api: InspectorAPI, _ options: InspectorOptions) throws {
        self.api = api
        self.options = options
        encryption = try options.certificate.map(Self.encryption)
    }

    /// Returns the names of hosts in a certificate, such as "box.example" or "*.example", or none if the certificate can't be read.
    ///
    /// - Parameter certificate: The certificate, whose errors ``init(_:_:)`` throws.
    /// - Returns: The names.
    static func hostNames(of certificate: InspectorCertificate) -> [String] {
        guard let first = try? NIOSSLCertificate.fromPEMFile(certificate.chain).first else { return [] }
        return first._subjectAlternativeNames().filter { $0.nameType == .dnsName }.compactMap { name in
            String(validating: name.contents, as: UTF8.self)
        }
    }

    private static func encryption(_ certificate: InspectorCertificate) throws -> TLSConfiguration {
        do {
            var encryption = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.chain).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.privateKey, format: .pem))
            )
            encryption.minimumTLSVersion = .tlsv12
            // A key of another certificate is an error only here.
            _ = try NIOSSLContext(configuration: encryption)
            return encryption
        } catch {
            throw InspectorError(
                .invalidCertificate,
                "The certificate \(certificate.chain.debugDescription) or its private key \(certificate.privateKey.debugDescription) can't be read, or they do not belong together. Specify files in PEM format.",
                underlying: error
            )
        }
    }

    /// Returns the service that listens.
    ///
    /// - Parameters:
    ///   - loops: The threads that serve connections.
    ///   - onListening: A closure that is called with the port.
    /// - Returns: The service, which runs once.
    /// - Throws: An error if the certificate is not accepted.
    func service(on loops: any EventLoopGroup, _ onListening: @escaping @Sendable (Int) -> Void) throws -> any Service {
        // The server logs each start, and a cancellation as an error. What matters is thrown.
        var logger = Logger(label: "larder.inspector")
        logger.logLevel = .critical
        let connections = ConnectionCount(limit: options.maximumConnections)
        let patience = TimeAmount(options.patience)
        var builder = HTTPServerBuilder { responder in
            var configuration = HTTP1Channel.Configuration(idleTimeout: patience)
            configuration.httpDecoder.maxHeaderFieldSize = 16_384
            configuration.httpDecoder.maxHeaderListSize = 32_768
            configuration.httpDecoder.maxHeaderFieldCount = 100
            return LimitedChannel(
                base: HTTP1Channel(responder: responder, configuration: configuration),
                connections: connections,
                patience: patience
            )
        }
        if let encryption { builder = try .tls(builder, tlsConfiguration: encryption) }
        return try builder.buildServer(
            configuration: ServerConfiguration(address: .hostname(options.host, port: options.port)),
            eventLoopGroup: loops,
            logger: logger,
            responder: { [api, isSecure = encryption != nil] request, writer, channel in
                try await Self.respond(to: request, writer, channel, api, isSecure: isSecure)
            },
            onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }
        )
    }

    private static func respond(
        to request: Request,
        _ writer: consuming ResponseWriter,
        _ channel: any Channel,
        _ api: InspectorAPI,
        isSecure: Bool
    ) async throws {
        let answer = try await Self.answer(InspectorRequest(request, isSecure: isSecure), channel, api)
        // What counts the answer lives until then.
        defer { end(answer) }
        try await channel.triggerUserOutboundEvent(RequestProgress.answering).get()
        var head = HTTPResponse(status: HTTPResponse.Status(code: answer.status))
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        switch answer.body {
        case .bytes(let bytes):
            head.headerFields[.contentLength] = String(bytes.count)
            let isHead = request.method == .head
            try await writer.write(response: head, body: isHead ? ResponseBody() : Self.body(bytes))
        case .pieces(let next):
            try await writer.write(
                response: head,
                body: ResponseBody { [api] body in
                    while let piece = try await api.threads.run(isAdmitted: true, next) {
                        try await Self.write(piece, to: &body)
                    }
                    try await body.finish(nil)
                }
            )
        case .events(let stream):
            try await writer.write(response: head, body: events(stream, request))
        }
        channel.triggerUserOutboundEvent(RequestProgress.answered, promise: nil)
    }

    /// Returns the answer to a request, unless the client goes or the server ends meanwhile.
    private static func answer(
        _ request: InspectorRequest,
        _ channel: any Channel,
        _ api: InspectorAPI
    ) async throws -> InspectorAnswer {
        let answering = Task { await api.answer(request) }
        // A connection that is closed already is noticed when the answer is written.
        try? await channel.triggerUserOutboundEvent(RequestProgress.received { answering.cancel() }).get()
        let answer = await withTaskCancellationHandler {
            await answering.value
        } onCancel: {
            answering.cancel()
        }
        guard !answering.isCancelled else {
            end(answer)
            throw CancellationError()
        }
        return answer
    }

    private static func end(_ answer: InspectorAnswer) { if case .events(let stream) = answer.body { stream.end() } }

    /// The number of bytes that are written at once.
    ///
    /// A client that receives them in time keeps its connection, however long the whole answer takes.
    private static let bytesInPiece = 1 << 16

    private static func body(_ bytes: [UInt8]) -> ResponseBody {
        guard bytes.count > bytesInPiece else { return ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)) }
        return ResponseBody(contentLength: bytes.count) { body in
            try await Self.write(bytes, to: &body)
            try await body.finish(nil)
        }
    }

    private static func write(_ bytes: [UInt8], to body: inout any ResponseBodyWriter) async throws {
        for begin in stride(from: 0, to: bytes.count, by: bytesInPiece) {
            let end = min(begin + bytesInPiece, bytes.count)
            try await body.write(ByteBuffer(bytes: bytes[begin..<end]))
        }
    }

    private static func events(_ stream: EventStream, _ request: Request) -> ResponseBody {
        ResponseBody { body in
            try await request.body.consumeWithInboundCloseHandler { _ in
                try await stream.forEach { try await body.write(ByteBuffer(bytes: $0)) }
            } onInboundClosed: {
                stream.end()
            }
            try await body.finish(nil)
        }
    }
}

extension InspectorRequest {
    fileprivate init(_ request: Request, isSecure: Bool) {
        self.init(
            request.method.rawValue,
            request.head.path ?? "",
            host: request.head.authority,
            headers: request.headers.map { ($0.name.rawName, $0.value) },
            isSecure: isSecure
        )
    }
}
#endif
