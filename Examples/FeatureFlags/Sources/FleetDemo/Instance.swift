import FeatureFlags
import Foundation
import Synchronization

/// One instance of the service, and a browser that shows its page.
final class Instance {
    let name: String
    let port: UInt16
    let replica: String
    private let program: String
    private let address: String
    private let folder: URL
    private let processes: ProcessList
    private var process: Child?
    private(set) var page: OpenPage?

    init(_ name: String, address: String, in folder: URL, _ processes: ProcessList) throws {
        self.name = name
        self.address = address
        self.folder = folder
        self.processes = processes
        replica = folder.appending(path: "\(name).larder").path
        port = try freePort()
        // Beside this program, where the package manager builds both.
        program =
            URL(filePath: CommandLine.arguments[0]).absoluteURL.deletingLastPathComponent().appending(
                path: "FeatureFlagsServer"
            )
            .path
    }

    /// Starts the instance, and opens its page as soon as it answers.
    func start() throws {
        let log = folder.appending(path: "\(name).log")
        let process = try processes.start(
            program,
            [name, "\(port)", replica, address, "3", "--inspect"],
            log: log,
            in: folder
        )
        self.process = process
        try fleetWait("instance \(name)") {
            guard process.isRunning else { throw DemoFailure("Instance \(self.name) did not start.") }
            return (try? self.status()) != nil
        }
        page = try OpenPage(port: port)
    }

    func end(_ number: Int32) {
        page?.close()
        page = nil
        process?.end(number, within: 5)
    }

    // MARK: - Requests

    @discardableResult
    func request(_ method: String, _ path: String, _ body: String = "") throws -> (status: Int, body: Data) {
        let connection = try HTTPConnection(port: port)
        try connection.send(method, path, body)
        return try connection.answer()
    }

    func status() throws -> InstanceStatus {
        let (status, body) = try request("GET", "/status")
        guard status == 200 else { throw DemoFailure("Instance \(name) answered \(status).") }
        return try JSONDecoder().decode(InstanceStatus.self, from: body)
    }

    /// Changes a flag, and fails unless the answer has the expected status.
    func change(_ flag: String, _ members: [String: String], isConfirmed: Bool = false, status: Int = 200) throws {
        let fields = members.map { "\"\($0.key)\":\"\($0.value)\"" } + (isConfirmed ? ["\"isConfirmed\":true"] : [])
        let answer = try request("POST", "/flags/\(flag)", "{\(fields.joined(separator: ","))}")
        guard answer.status == status else {
            let text = String(decoding: answer.body, as: UTF8.self)
            throw DemoFailure("Instance \(name) answered \(answer.status) to a change of \(flag): \(text)")
        }
    }

    /// The address of the instance's inspector, which it prints when it listens.
    func inspector() throws -> URL {
        let prefix = "Inspector: "
        let log = folder.appending(path: "\(name).log")
        var address: URL?
        try fleetWait("the inspector of instance \(name)") {
            let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
            address = lines.last { $0.hasPrefix(prefix) }.flatMap { URL(string: String($0.dropFirst(prefix.count))) }
            return address != nil
        }
        guard let address else { throw DemoFailure("The inspector of instance \(name) has no address.") }
        return address
    }

    private struct InspectedPage: Decodable {
        struct Record: Decodable {
            let key: String
        }
        let records: [Record]
    }

    /// The keys of the store's entries, as the inspector shows them.
    func inspectedKeys() throws -> [String] {
        let address = try inspector()
        guard let port = address.port.flatMap({ UInt16(exactly: $0) }), let fragment = address.fragment() else {
            throw DemoFailure("\(address) is no address of an inspector.")
        }
        let connection = try HTTPConnection(port: port)
        let token = String(fragment.dropFirst("token=".count))
        try connection.send("GET", "/api/instances/1/rows?limit=1000", headers: ["Larder-Token": token])
        let (status, body) = try connection.answer()
        guard status == 200 else { throw DemoFailure("The inspector of instance \(name) answered \(status).") }
        return try JSONDecoder().decode(InspectedPage.self, from: body).records.map(\.key)
    }

    func flag(_ name: String) throws -> String? {
        let flags = try JSONDecoder().decode([FlagState].self, from: request("GET", "/flags").body)
        return flags.first { $0.name == name }?.value
    }
}

private func fleetWait(_ what: String, _ condition: () throws -> Bool) throws {
    try wait(within: 30, what, until: condition)
}

/// A browser that has the page of an instance open, and notes when flags change.
final class OpenPage: Sendable {
    private struct Arrival {
        let flag: FlagState
        let instant: ContinuousClock.Instant
    }

    private let arrivals = Mutex<[Arrival]>([])
    private let lines: LineReader

    init(port: UInt16) throws {
        lines = try LineReader(port: port, "GET", "/events")
        lines.start { [self] line in
            let instant = ContinuousClock.now
            guard let line, line.hasPrefix("data: ") else { return }
            guard let flag = try? JSONDecoder().decode(FlagState.self, from: Data(line.dropFirst(6).utf8)) else {
                return
            }
            arrivals.withLock { $0.append(Arrival(flag: flag, instant: instant)) }
        }
        try wait(within: 10, "the first flags on a page") { self.arrivals.withLock { $0.count >= 3 } }
    }

    func close() { lines.cut() }

    /// Returns the first instant after another one at which a flag with a value arrived, or `nil`.
    func arrival(of value: String, in flag: String, after start: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        arrivals.withLock { arrivals in
            arrivals.first { $0.instant >= start && $0.flag.name == flag && $0.flag.value == value }?.instant
        }
    }
}
