#if Inspector
import HTTPTypes
import HummingbirdCore
import HummingbirdTLS
import LarderFiles
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

    private static func encryption(_ certificate: InspectorCertificate) throws -> TLSConfiguration {
        do {
            var encryption = TLSConfiguration.makeServerConfiguration(
                certificateChain: try NIOSSLCertificate.fromPEMFile(certificate.chain).map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(file: certificate.privateKey, format: .pem))
            )
            encryption.minimumTLSVersion = .tlsv12
            return encryption
        } catch {
            throw InspectorError(
                .invalidCertificate,
                "The certificate \(certificate.chain.debugDescription) or its private key \(certificate.privateKey.debugDescription) can't be read. Specify files in PEM format.",
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
            responder: { [api, isSecure = encryption != nil] request, writer, _ in
                try await Self.respond(to: request, writer, api, isSecure: isSecure)
            },
            onServerRunning: { channel in onListening(channel.localAddress?.port ?? 0) }
        )
    }

    private static func respond(
        to request: Request,
        _ writer: consuming ResponseWriter,
        _ api: InspectorAPI,
        isSecure: Bool
    ) async throws {
        let answer = await api.answer(InspectorRequest(request, isSecure: isSecure))
        var head = HTTPResponse(status: HTTPResponse.Status(code: answer.status))
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        switch answer.body {
        case .bytes(let bytes):
            head.headerFields[.contentLength] = String(bytes.count)
            let isHead = request.method == .head
            try await writer.write(
                response: head,
                body: isHead ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
            )
        case .pieces(let next):
            try await writer.write(
                response: head,
                body: ResponseBody { body in
                    while let piece = try await withBlockingWork(next) {
                        try await body.write(ByteBuffer(bytes: piece))
                    }
                    try await body.finish(nil)
                }
            )
        case .events(let stream):
            defer { stream.end() }
            try await writer.write(response: head, body: events(stream, request))
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
