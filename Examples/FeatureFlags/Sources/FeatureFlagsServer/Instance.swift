import FeatureFlags
import Hummingbird
import LarderCore
import LarderReplication

/// The routes of one instance.
///
/// The example does not check who asks. A service of your own must.
struct Instance: Sendable {
    let name: String
    let store: ReplicatedStore
    let board: FlagBoard
    let sessions: Sessions
    let counter: Counter

    init(name: String, store: ReplicatedStore) {
        self.name = name
        self.store = store
        board = FlagBoard(store)
        sessions = Sessions(store)
        counter = Counter(store, instance: name)
    }

    var router: Router<BasicRequestContext> {
        let router = Router()
        addPage(to: router)
        addFlags(to: router)
        addSessions(to: router)
        router.get("/events") { request, _ in FlagEvents(store: store, board: board).response(to: request) }
        router.get("/status") { _, _ in try InstanceStatus(store, instance: name) }
        // For the demo that kills the instance meanwhile: each number is durable when it is sent.
        router.post("/count") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    while !Task.isCancelled {
                        try await writer.write(ByteBuffer(string: "count \(try counter.increment())\n"))
                        try await Task.sleep(for: .milliseconds(10))
                    }
                    try await writer.finish(nil)
                }
            )
        }
        return router
    }

    private func addPage(to router: Router<BasicRequestContext>) {
        let page = Page(instance: name)
        for (path, type, text) in [
            ("/", "text/html; charset=utf-8", page.html), ("/page.css", "text/css; charset=utf-8", Page.style),
            ("/page.js", "text/javascript; charset=utf-8", Page.script),
        ] {
            router.get(RouterPath(path)) { _, _ in
                var headers = HTTPFields()
                headers[.contentSecurityPolicy] = Page.policy
                headers[.xContentTypeOptions] = "nosniff"
                headers[.contentType] = type
                return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
            }
        }
    }

    private func addFlags(to router: Router<BasicRequestContext>) {
        router.get("/flags") { _, _ in board.all }
        router.post("/flags/:name") { request, context in
            // A page of another site can't send this type without asking first.
            guard request.headers[.contentType]?.hasPrefix("application/json") ?? false else {
                throw HTTPError(.unsupportedMediaType)
            }
            let name = try context.parameters.require("name")
            let change = try await request.decode(as: FlagChange.self, context: context)
            do {
                if change.isConfirmed ?? false {
                    try await board.setConfirmed(name, to: change.value)
                } else if let expected = change.expected {
                    guard try board.replace(expected, by: change.value, in: name) else {
                        throw HTTPError(.conflict, message: "The flag has another value.")
                    }
                } else {
                    try board.set(name, to: change.value)
                }
            } catch let error as InvalidFlag {
                throw HTTPError(.badRequest, message: error.description)
            } catch let error as StoreError {
                throw HTTPError(.serviceUnavailable, message: error.message)
            }
            return board.all
        }
    }

    private func addSessions(to router: Router<BasicRequestContext>) {
        router.post("/sessions") { request, context in
            let login = try await request.decode(as: Login.self, context: context)
            guard (1...3600).contains(login.seconds), login.user.count <= 100 else { throw HTTPError(.badRequest) }
            do {
                return SessionToken(id: try await sessions.begin(for: login.user, lasting: login.seconds))
            } catch let error as StoreError {
                throw HTTPError(.serviceUnavailable, message: error.message)
            }
        }
        router.get("/sessions/:id") { _, context in
            guard let user = try sessions.user(of: context.parameters.require("id")) else { throw HTTPError(.notFound) }
            return SessionUser(user: user)
        }
    }
}

private struct FlagChange: Decodable {
    let value: String
    /// The value that the flag must have.
    let expected: String?
    /// Whether to wait until the cluster has the write.
    let isConfirmed: Bool?
}

private struct Login: Decodable {
    let user: String
    let seconds: Double
}

private struct SessionToken: ResponseEncodable {
    let id: String
}

private struct SessionUser: ResponseEncodable {
    let user: String
}

extension InstanceStatus: ResponseEncodable {}
