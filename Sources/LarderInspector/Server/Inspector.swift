#if Inspector
import HummingbirdCore
public import LarderCore
import NIOCore
import NIOPosix
public import ServiceLifecycle
import Synchronization

/// A service that shows stores, databases and data sources on a page while the program uses them.
///
/// Nothing runs until ``run()`` is called, and instances are observed only while a page is open. The inspector changes nothing that is stored,
/// except by the actions that a user starts on the page, such as compaction.
///
/// ```swift
/// let inspector = try Inspector(stores: [store], objects: [manager])
/// let group = ServiceGroup(services: [server, inspector], logger: logger)
/// ```
///
/// The page is served at ``address``, which contains a random token. Every request for data must contain the token.
public final class Inspector: Service, Sendable {
    private enum Phase {
        case new
        case running(address: String?)
        case ended
    }

    private let api: InspectorAPI
    private let options: InspectorOptions
    /// The name of this machine that browsers should use, if there is one.
    private let name: String?
    private let phase = Mutex(Phase.new)

    /// Creates an inspector of instances of this program.
    ///
    /// - Parameters:
    ///   - stores: The stores to show, in display order.
    ///   - objects: Other instances to show after the stores, such as databases, data sources, outboxes and typed keys.
    ///   - options: The options.
    /// - Throws: ``InspectorError`` with code `invalidOptions` if the options contradict each other.
    public convenience init(
        stores: [any KeyValueStore] = [],
        objects: [any Inspectable] = [],
        options: InspectorOptions = InspectorOptions()
    ) throws {
        var settings = InspectorAPI.Settings()
        settings.notes = [
            "The inspector runs in the program. It observes instances only while a page is open, and changes nothing except by actions."
        ]
        try self.init(InspectedInstance.numbered(stores + objects, isProgram: true), settings, options: options)
    }

    package init(
        _ instances: [InspectedInstance],
        _ settings: InspectorAPI.Settings,
        options: InspectorOptions
    ) throws {
        try options.check()
        var settings = settings
        settings.title = options.title
        settings.token = options.token
        let names =
            options.hostNames.isEmpty
            ? options.certificate.map(InspectorServer.hostNames) ?? [] : options.hostNames
        settings.hostNames = names + (options.isLoopback ? [] : [options.host])
        settings.isOnNetwork = !options.isLoopback
        api = try InspectorAPI(instances, settings)
        self.options = options
        name = names.first { !$0.hasPrefix("*") }
    }

    /// The address of the page, such as `http://127.0.0.1:50123/#token=...`, or `nil` if the inspector does not listen.
    ///
    /// Everyone who has the address can read everything that the inspector shows. Browsers do not send the token after `#` to servers.
    public var address: String? {
        phase.withLock { phase in if case .running(let address) = phase { address } else { nil } }
    }

    /// Serves the page until the task is canceled or the service is shut down gracefully.
    ///
    /// At the end, event streams end at once, requests that are being answered have three seconds, actions are canceled and have three seconds,
    /// and the temporary files of actions are removed. What still blocks a thread afterwards is left behind, so that it can't keep a program from
    /// ending. An inspector runs once.
    ///
    /// - Throws: ``InspectorError`` with code `notListening` if the address is not available, `invalidCertificate` if the certificate can't be
    ///   read, or `alreadyRun`.
    public func run() async throws {
        try phase.withLock { phase in
            guard case .new = phase else {
                throw InspectorError(.alreadyRun, "The inspector runs already, or has ended. Create another one.")
            }
            phase = .running(address: nil)
        }
        defer { phase.withLock { $0 = .ended } }
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let result: Result<Void, any Error>
        do { result = .success(try await serve(on: loops)) } catch { result = .failure(error) }
        api.close()
        await api.end(within: Self.patience)
        // An event loop that can't be ended has no connections left.
        try? await loops.shutdownGracefully()
        try result.get()
    }

    /// The time for requests and actions at the end.
    private static let patience = Duration.seconds(3)

    private enum Ended {
        case server, issues, patience
    }

    private func serve(on loops: MultiThreadedEventLoopGroup) async throws {
        let server = try InspectorServer(api, options).service(on: loops) { [self] in listening(at: $0) }
        let (shutdowns, shutdown) = AsyncStream.makeStream(of: Void.self)
        try await withGracefulShutdownHandler {
            try await withThrowingTaskGroup(of: Ended.self) { group in
                group.addTask { [api] in
                    await api.issues.run()
                    return .issues
                }
                group.addTask {
                    try await server.run()
                    return .server
                }
                group.addTask {
                    for await _ in shutdowns {}
                    try await Task.sleep(for: Self.patience)
                    return .patience
                }
                defer { group.cancelAll() }
                do {
                    while let ended = try await group.next() {
                        if ended != .issues { return }
                    }
                } catch is CancellationError {
                    return
                } catch let error as InspectorError {
                    throw error
                } catch {
                    throw notListening(error)
                }
            }
        } onGracefulShutdown: { [api] in
            api.close()
            shutdown.finish()
        }
    }

    private func listening(at port: Int) {
        let scheme = options.certificate == nil ? "http" : "https"
        let address = "\(scheme)://\(Self.host(options, name)):\(port)/#token=\(api.token)"
        phase.withLock { phase in if case .running = phase { phase = .running(address: address) } }
        options.onListening?(address)
    }

    /// Returns the host for the address of the page.
    private static func host(_ options: InspectorOptions, _ name: String?) -> String {
        // A certificate is for a name. "Every address" is not an address that browsers can open.
        if options.certificate != nil, let name { return name }
        switch options.host {
        case "0.0.0.0": return "127.0.0.1"
        case "::": return "[::1]"
        case let host: return host.contains(":") ? "[\(host)]" : host
        }
    }

    private func notListening(_ error: any Error) -> InspectorError {
        InspectorError(
            .notListening,
            "The inspector can't listen at \(options.host), port \(options.port). Choose another port, or 0 for a free one.",
            underlying: error
        )
    }
}
#endif
