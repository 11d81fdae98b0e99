import Foundation
import Synchronization
import Testing

/// Runs `body` on a thread with a stack of 512 KB, which is typical of secondary threads, and waits for its result.
func onSmallThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    let outcome = SmallThreadOutcome<Value>()
    let isDone = DispatchSemaphore(value: 0)
    let thread = Thread {
        let result = Result { try body() }
        outcome.result.withLock { $0 = result }
        isDone.signal()
    }
    thread.stackSize = 512 * 1_024
    thread.start()
    isDone.wait()
    let result = outcome.result.withLock { $0 }
    return try #require(result).get()
}

private final class SmallThreadOutcome<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
}
