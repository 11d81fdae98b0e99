import LarderCore
import Synchronization

/// A signal that ends the pause of the task that sends pending commits.
final class Wakeup: Sendable {
    private struct State {
        var isSignaled = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    /// Whether a task waits, or will before it looks at the queue again.
    private let isAwaited = Atomic<Bool>(false)

    /// Ends the current pause, or the next one.
    func signal() {
        guard isAwaited.load(ordering: .sequentiallyConsistent) else { return }
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.isSignaled = state.waiting == nil
            return state.waiting
        }
        waiting?.resume()
    }

    /// Announces a pause, so that signals from now on end it.
    func announce() { isAwaited.store(true, ordering: .sequentiallyConsistent) }

    /// Suspends until the next signal, the end of `limit`, or cancellation.
    func wait(within limit: Duration, _ time: any TimeSource) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.waitForSignal() }
            group.addTask { try? await time.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
        isAwaited.store(false, ordering: .sequentiallyConsistent)
    }

    private func waitForSignal() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isSignaled || Task.isCancelled {
                        state.isSignaled = false
                        return true
                    }
                    state.waiting = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.resume()
        }
    }
}
