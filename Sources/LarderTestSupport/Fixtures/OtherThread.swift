import Foundation

/// Returns whether another thread can run `body` while the current thread waits.
///
/// The result is `false` if the current thread holds a lock that `body` needs. Tests call this function in user code, such as a `deinit`,
/// to verify that Larder holds no lock there.
///
/// - Parameters:
///   - limit: The time limit, which only failing tests reach.
///   - body: The work for the other thread. It continues after the time limit.
/// - Returns: `false` if the time limit was reached.
package func anotherThreadCan(within limit: Duration = .seconds(20), _ body: @escaping @Sendable () -> Void) -> Bool {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
        body()
        done.signal()
    }
    return done.wait(timeout: .now() + .seconds(Int(limit.components.seconds))) == .success
}
