#if Objects
import Foundation

/// Runs `body` on a thread with a stack of 512 KB, which is the size for secondary threads in an app.
func onSmallThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
        thread.stackSize = 512 * 1_024
        thread.start()
    }
}
#endif
