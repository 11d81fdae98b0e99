#if Inspector
/// A path and a method of the API.
///
/// `openapi.json` describes each, and a test compares both.
package struct Route: Sendable {
    /// What a request asks for.
    enum Operation: Sendable {
        case listInstances, readInstance, readRows, readRecord, downloadValue, readPlan, readStatistics, readReports
        case exportRows, startAction, readRun, cancelRun, downloadRunFile, listIssues, followEvents
    }

    let operation: Operation
    /// The method of HTTP.
    package let method: String
    /// The path, with the names of its parameters in braces.
    package let path: String
    /// The names of the parameters in the query.
    package let parameters: [String]

    private init(_ operation: Operation, _ method: String, _ path: String, _ parameters: [String] = []) {
        self.operation = operation
        self.method = method
        self.path = "/api/" + path
        self.parameters = parameters
    }

    private static let condition = ["table", "prefix", "text", "filter", "order"]
    private static let relation = ["of", "ofTable", "relationship"]

    /// All paths and methods of the API.
    package static let all: [Route] = [
        Route(.listInstances, "GET", "instances"),
        Route(.readInstance, "GET", "instances/{instance}"),
        Route(.readRows, "GET", "instances/{instance}/rows", condition + ["after", "limit"] + relation),
        Route(.readRecord, "GET", "instances/{instance}/record", ["table", "key", "reveal"]),
        Route(.downloadValue, "GET", "instances/{instance}/value", ["table", "key", "column", "reveal"]),
        Route(.readPlan, "GET", "instances/{instance}/plan", condition + relation),
        Route(.readStatistics, "GET", "instances/{instance}/statistics"),
        Route(.readReports, "GET", "instances/{instance}/reports"),
        Route(
            .exportRows,
            "GET",
            "instances/{instance}/export",
            condition + ["format", "columns", "reveal"] + relation
        ),
        Route(.startAction, "POST", "instances/{instance}/actions/{action}"),
        Route(.readRun, "GET", "runs/{run}"),
        Route(.cancelRun, "DELETE", "runs/{run}"),
        Route(.downloadRunFile, "GET", "runs/{run}/file"),
        Route(.listIssues, "GET", "issues"),
        Route(.followEvents, "GET", "events"),
    ]

    /// Returns the route of a request, and the values of the parameters in its path.
    ///
    /// - Throws: ``Refusal`` if no route has the path, or none of its routes has the method.
    static func find(_ method: String, _ path: [String]) throws -> (route: Route, values: [String]) {
        let found = all.compactMap { route in route.values(in: path).map { (route, $0) } }
        if let match = found.first(where: { $0.0.method == method }) { return match }
        guard !found.isEmpty else {
            throw Refusal.notFound("The inspector has no such path. See /openapi.json for the paths that it has.")
        }
        throw Refusal.wrongMethod(method, allowed: found.map(\.0.method))
    }

    /// Returns the values of the parameters in a path, or `nil` if the path is another one.
    private func values(in path: [String]) -> [String]? {
        let parts = self.path.dropFirst().split(separator: "/")
        guard parts.count == path.count else { return nil }
        var values: [String] = []
        for (part, given) in zip(parts, path) {
            if part.hasPrefix("{") {
                guard !given.isEmpty else { return nil }
                values.append(given)
            } else if part != given {
                return nil
            }
        }
        return values
    }
}
#endif
