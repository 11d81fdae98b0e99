import Foundation

/// Returns whether another thread can carry out `body` while this one waits for it.
///
/// It can't as long as this thread holds a lock that `body` needs. Called from a caller's code, such as a `deinit`, it makes a test of
/// a lock fail that would hang otherwise.
///
/// - Parameters:
///   - limit: Generous: it is only ever reached by a test that fails.
///   - body: What is carried out; goes on after the limit.
/// - Returns: `false` when the limit was reached.
package func anotherThreadCan(within limit: Duration = .seconds(20), _ body: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        done.signal()
    }
    return done.wait(timeout: .now() + .seconds(Int(limit.components.seconds))) == .success
}
