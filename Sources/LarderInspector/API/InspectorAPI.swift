#if Inspector
package import LarderCore

/// The requests that the inspector answers, independent of the server that receives them.
package final class InspectorAPI: Sendable {
    /// What answers say about the inspector itself.
    package struct Settings: Sendable {
        /// The title of the page.
        package var title = "Larder"
        /// Whether changes and statistics are followed.
        package var isLive = true
        /// What this mode touches and can't show, as sentences.
        package var notes: [String] = []
        /// The names of hosts that requests may use besides addresses of this machine.
        package var hostNames: [String] = []
        /// Whether requests may use any address of digits.
        package var isOnNetwork = false
        /// The token, or `nil` for a random one.
        package var token: String?

        package init() {}
    }

    let settings: Settings
    let instances: [InspectedInstance]
    let events: EventHub
    package let issues: IssueLog
    let runs: Runs
    private let accessToken: InspectorToken
    private let hosts: HostPolicy
    private let page: Page
    /// The threads that answer requests.
    let threads = ReadingThreads(limit: 8, ofInstance: 3, maximumWaiting: 32)
    private let transfers = Transfers()

    package init(_ instances: [InspectedInstance], _ settings: Settings, _ time: any TimeSource = .system) throws {
        if let text = settings.token, InspectorToken(text) == nil { throw InspectorError.invalidToken }
        self.settings = settings
        self.instances = instances
        accessToken = settings.token.flatMap { InspectorToken($0) } ?? InspectorToken()
        hosts = HostPolicy(names: settings.hostNames, isOnNetwork: settings.isOnNetwork)
        page = Page(title: settings.title)
        let events = EventHub(instances, isLive: settings.isLive, time)
        self.events = events
        issues = IssueLog(instances, time) { events.send(.issue($0)) }
        runs = Runs(time) { events.send(.run($0)) }
    }

    /// The token that requests must contain, as 32 hexadecimal digits.
    package var token: String { accessToken.digits }

    /// Ends event streams, and cancels actions without waiting for them.
    package func close() {
        events.close()
        runs.close()
    }

    /// Waits until actions have ended and their files are removed, but not longer than `limit`.
    ///
    /// An action that does not end is left behind, because a blocked thread can't be interrupted.
    package func end(within limit: Duration) async { await runs.end(within: limit) }

    /// Returns the answer to a request.
    package func answer(_ request: InspectorRequest) async -> InspectorAnswer {
        var answer: InspectorAnswer
        do {
            answer = try await accepted(request)
        } catch {
            answer = InspectorAnswer(Refusal(error))
        }
        answer.headers += Page.safetyHeaders
        return answer
    }

    private func accepted(_ request: InspectorRequest) async throws -> InspectorAnswer {
        let path = request.target.prefix { $0 != "?" }
        let isForData = path == "/api" || path.hasPrefix("/api/") || path.utf8.contains(UInt8(ascii: "%"))
        try hosts.check(request, isForData: isForData)
        guard isForData else { return try page.answer(request) }
        let tokens = request.values(of: "larder-token")
        guard tokens.count == 1, accessToken.matches(tokens[0]) else { throw Refusal.unauthorized }
        let target = try RequestTarget(request.target)
        let (route, values) = try Route.find(request.method, target.path)
        try target.allow(route.parameters)
        switch route.operation {
        case .listInstances: return listInstances()
        case .listIssues: return InspectorAnswer(json: issues.json())
        case .followEvents: return try followEvents()
        case .startAction: return try await startAction(values[1], of: instance(values[0]))
        case .readRun: return try runs.answer(route.operation, values[0])
        case .cancelRun: return try await threads.run { [runs] in try runs.answer(.cancelRun, values[0]) }
        case .downloadRunFile:
            return try await transferring { [runs] in try runs.answer(.downloadRunFile, values[0]) }
        case .exportRows:
            let inspected = try instance(values[0])
            return try await transferring(of: inspected.id) { try Export(inspected, target).answer }
        default:
            let inspected = try instance(values[0])
            return try await threads.run(of: inspected.id) { try Self.read(route.operation, inspected, target) }
        }
    }

    /// Returns an answer that is sent in pieces, and counts while it is.
    private func transferring(
        of instance: String? = nil,
        _ work: @escaping @Sendable () throws -> InspectorAnswer
    ) async throws -> InspectorAnswer {
        let transfer = try transfers.begin()
        var answer = try await threads.run(of: instance, work)
        answer.transfer = transfer
        return answer
    }

    private func instance(_ id: String) throws -> InspectedInstance {
        guard let instance = instances.first(where: { $0.id == id }) else {
            throw Refusal.notFound(
                "There is no instance \(id.debugDescription). See /api/instances for those that exist."
            )
        }
        return instance
    }

    // MARK: Answers

    private func listInstances() -> InspectorAnswer {
        var json = JSONText()
        json.object { json in
            json.name("instances")
            json.array(instances) { json, inspected in
                json.object { json in
                    json.identity(of: inspected)
                    json.member("issues", issues.count(of: inspected))
                }
            }
            json.member("isProgram", instances.contains(where: \.isProgram))
            json.member("isLive", settings.isLive)
            json.member("notes", settings.notes)
            json.member("version", Page.version)
        }
        return InspectorAnswer(json: json)
    }

    private func followEvents() throws -> InspectorAnswer {
        // No run changes meanwhile, so that the stream neither misses a state nor receives an older one later.
        let stream = runs.withAll { [events, issues, runs] all in
            events.connect(all.map { .run($0) }) { waiting in
                runs.withAll { all in waiting() + all.flatMap { InspectorEvent.run($0).bytes } }
            } reporting: {
                issues.add($0, $1)
            }
        }
        guard let stream else {
            throw Refusal.busy("Too many pages follow events. Close one, and connect again.")
        }
        return InspectorAnswer(200, type: "text/event-stream", .events(stream))
    }

    private func startAction(_ name: String, of inspected: InspectedInstance) async throws -> InspectorAnswer {
        let id = try await threads.run(of: inspected.id) { [runs] in
            guard let action = inspected.instance.inspectionActions.first(where: { $0.name == name }) else {
                throw Refusal.notFound(
                    "The instance has no action \(name.debugDescription). Read the instance for those that it has."
                )
            }
            return try runs.start(action, of: inspected)
        }
        var json = JSONText()
        json.object { $0.member("run", id) }
        return InspectorAnswer(202, json: json)
    }

    private static func read(
        _ operation: Route.Operation,
        _ inspected: InspectedInstance,
        _ target: RequestTarget
    ) throws -> InspectorAnswer {
        let instance = inspected.instance
        var json = JSONText()
        switch operation {
        case .readInstance: json.instance(inspected)
        case .readRows:
            let table = try inspected.table(target.text("table"))
            let page = try instance.inspectionPage(target.query(of: table))
            json.page(page, RecordColumns(table, instance.inspectionRole))
        case .readRecord:
            let table = try inspected.table(target.text("table"))
            let record = try inspected.record(target.required("key"), in: table)
            let revealed = try target.revealed(in: table)
            json.record(record, RecordColumns(table, instance.inspectionRole, revealing: revealed), .record)
        case .readPlan:
            let table = try inspected.table(target.text("table"))
            guard let plan = try instance.inspectionPlan(target.query(of: table)) else {
                throw Refusal.notFound("The instance executes its queries without a plan. Choose a database.")
            }
            json.plan(plan)
        case .readStatistics:
            let statistics = try instance.inspectionStatistics()
            json.object { json in
                json.name("statistics")
                json.statistics(statistics)
            }
        case .readReports:
            let reports = try instance.inspectionReports()
            json.object { json in
                json.name("reports")
                json.array(reports) { $0.report($1) }
            }
        case .downloadValue: return try inspected.download(target)
        case .exportRows, .listInstances, .startAction, .readRun, .cancelRun, .downloadRunFile, .listIssues,
            .followEvents:
            // `accepted(_:)` answers these.
            throw Refusal.notFound("The inspector has no such path. See /openapi.json for the paths that it has.")
        }
        return InspectorAnswer(json: json)
    }
}

extension JSONText {
    fileprivate mutating func instance(_ inspected: InspectedInstance) {
        let instance = inspected.instance
        var problem: String?
        func read<Result>(_ body: () throws -> [Result]) -> [Result] {
            do { return try body() } catch {
                problem = ErrorCause.text(error)
                return []
            }
        }
        let facts = read(instance.inspectionFacts)
        let tables = read(inspected.countedTables)
        object { json in
            json.identity(of: inspected)
            json.name("facts")
            json.array(facts) { $0.fact($1) }
            json.name("tables")
            json.array(tables) { $0.table($1) }
            json.name("actions")
            json.array(instance.inspectionActions) { $0.action($1) }
            json.member("problem", problem)
        }
    }

    fileprivate mutating func page(_ page: InspectionPage, _ columns: RecordColumns) {
        // A page of long values stays small, so that neither the server nor the page needs much memory.
        var room = 4_000_000
        object { json in
            json.name("records")
            json.array(page.records) { json, record in
                let before = json.bytes.count
                json.record(record, columns, room > 0 ? .cell : ValueForm(limit: 50))
                room -= json.bytes.count - before
            }
            json.member("next", page.next)
            json.member("total", page.total)
        }
    }
}
#endif
