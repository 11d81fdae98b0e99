import LarderCore
import Synchronization

/// A signal of a change, for callers that wait until a condition holds.
///
/// The class is thread-safe.
final class Signal: Sendable {
    private struct State {
        /// The number of signals so far.
        var count: UInt64 = 0
        var waiting: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var next: UInt64 = 0
    }

    private let state = Mutex(State())

    /// The number of signals so far.
    ///
    /// Read it before the condition for which to wait.
    var count: UInt64 { state.withLock(\.count) }

    /// Ends the waiting of all callers.
    func signal() {
        let waiting = state.withLock { state in
            state.count += 1
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Suspends until there are more than `count` signals, until the end of `limit`, or until the task is canceled.
    func wait(beyond count: UInt64, within limit: Duration, _ time: any TimeSource) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.wait(beyond: count) }
            group.addTask { try? await time.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    private func wait(beyond count: UInt64) async {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.count > count || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
        }
    }
}
