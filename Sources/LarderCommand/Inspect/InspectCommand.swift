#if Command && Inspector
import ArgumentParser
import LarderCore
import LarderInspector
import Logging
import ServiceLifecycle

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows stores and databases on a page in the browser, live.",
        discussion: """
            The command prints the address of the page, and serves it until interrupted. The address contains a token, without which \
            nothing can be read. Only programs on this machine can reach the page, unless --host names another address.
              larder inspect settings.larder
              larder inspect ~/.local/share/app                 every store and database in the folder
              larder inspect orders.sqlite --no-trace           one moment, without touching a file
              larder inspect app.larder --format json --request '/api/instances/1/rows?limit=10'
            Of a file, only commits are seen. Rates, latencies, slow queries and issues need the program: add the inspector to it.
            """
    )

    @Argument(help: ArgumentHelp("The paths of files, or of folders that contain files.", valueName: "path"))
    var paths: [ArgumentText]

    @Option(help: "The port to listen at. By default, the system chooses a free one.")
    var port = 0

    @Option(
        help:
            "The address to listen at. An address that other machines can reach needs a certificate and --allow-network."
    )
    var host = "127.0.0.1"

    @Option(
        name: .customLong("host-name"),
        help: ArgumentHelp(
            "A name by which browsers reach the page, besides addresses. Repeatable. By default, the names in the certificate.",
            valueName: "name"
        )
    )
    var hostNames: [String] = []

    @Option(help: ArgumentHelp("A file with the certificate and its chain, in PEM format.", valueName: "path"))
    var certificate: ArgumentText?

    @Option(help: ArgumentHelp("A file with the private key of the certificate, in PEM format.", valueName: "path"))
    var privateKey: ArgumentText?

    @Flag(
        help:
            "Lets other machines reach the page. Everyone who has the printed address can then read everything that it shows."
    )
    var allowNetwork = false

    @Flag(help: "Shows the files as they are now, and touches neither them nor any other file beside them.")
    var noTrace = false

    @Option(help: ArgumentHelp("With --format json: the request of the API to answer.", valueName: "path"))
    var request: ArgumentText?

    @OptionGroup var output: FormatOptions
    @OptionGroup var key: EncryptionOptions

    func validate() throws {
        if paths.isEmpty { throw ValidationError("No file is specified. Add the path of a file or folder.") }
        if (certificate == nil) != (privateKey == nil) {
            throw ValidationError("--certificate and --private-key belong together. Specify both.")
        }
        if request != nil, output.format != .json {
            throw ValidationError("--request prints an answer instead of serving the page. Add --format json.")
        }
    }

    func run() throws {
        let console = Console.current
        // With --format json, nothing is followed.
        let isLive = !noTrace && output.format != .json
        let files = InspectedFiles(paths: paths.map(\.text), key: key.source, isLive: isLive)
        let opened = try files.open()
        let instances = InspectedInstance.numbered(opened.instances, isProgram: false)
        var settings = InspectorAPI.Settings()
        settings.isLive = isLive
        settings.notes = files.notes + opened.notes
        if output.format == .json { return try printAnswer(instances, settings, console) }
        try serve(instances, settings, console)
    }

    private func printAnswer(
        _ instances: [InspectedInstance],
        _ settings: InspectorAPI.Settings,
        _ console: Console
    ) throws {
        let api = try InspectorAPI(instances, settings)
        defer { api.close() }
        let target = request?.text ?? "/api/instances"
        let answer = try BlockedTask.run {
            let token = ("Larder-Token", api.token)
            return await api.answer(InspectorRequest("GET", target, host: "localhost", headers: [token]))
        }
        if let failure = answer.failure {
            throw CommandFailure.usage("The request \(target.debugDescription) failed. \(failure)")
        }
        switch answer.body {
        case .bytes(let bytes):
            // Values and other files are written as they are.
            let isJSON = answer.header("Content-Type") == "application/json"
            try console.write(.init(isJSON ? bytes + [0x0A] : bytes))
        case .pieces(let next): while let piece = try next() { try console.write(.init(piece)) }
        case .events:
            throw CommandFailure.usage("Events are only served to pages. Use `larder watch` to print changes.")
        }
    }

    private func serve(
        _ instances: [InspectedInstance],
        _ settings: InspectorAPI.Settings,
        _ console: Console
    ) throws {
        var options = InspectorOptions()
        options.host = host
        options.port = port
        options.hostNames = hostNames
        options.allowsNetwork = allowNetwork
        if let certificate, let privateKey {
            options.certificate = InspectorCertificate(chain: certificate.text, privateKey: privateKey.text)
        }
        // A closed standard output is no reason to end: the page may be open.
        options.onListening = { try? console.print($0) }
        let inspector = try Inspector(instances, settings, options: options)
        Interruption.begin()
        defer { Interruption.end() }
        try BlockedTask.run { try await Self.serve(inspector) }
    }

    /// Serves the page until the process is interrupted.
    private static func serve(_ inspector: Inspector) async throws {
        var logger = Logger(label: "larder.inspect")
        logger.logLevel = .critical
        let services = ServiceGroup(services: [inspector], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await services.run() }
            group.addTask {
                while !Interruption.hasCome { try await Task.sleep(for: .milliseconds(50)) }
                await services.triggerGracefulShutdown()
                // The other task ends this one.
                try await Task.sleep(for: .seconds(60))
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }
}
#endif
