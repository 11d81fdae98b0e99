#if Postgres
import LarderTestSupport
import Testing

/// Repeats a call every few milliseconds until it returns a value.
///
/// - Throws: The error of the call, or an error if the value does not come.
@discardableResult
func waitUntilAsync<Value>(_ what: String, _ body: () async throws -> Value?) async throws -> Value {
    var patience = Patience(.seconds(60))
    while true {
        if let value = try await body() { return value }
        let isOver = patience.isOver()
        try #require(!isOver, "Waiting for \(what) timed out.")
        try await Task.sleep(for: .milliseconds(5))
    }
}
#endif
