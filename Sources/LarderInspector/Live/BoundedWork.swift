#if Inspector
import LarderFiles
import Synchronization

/// Work that may block, for which a task waits for a limited time.
final class BoundedWork: Sendable {
    private let waiting = Mutex<CheckedContinuation<Void, Never>?>(nil)

    /// Runs work on a thread, and suspends until it returns or the time is over, even if the task is canceled.
    ///
    /// Work that has not returned by then is left behind.
    static func run(within limit: Duration, _ work: @escaping @Sendable () -> Void) async {
        let bounded = BoundedWork()
        await withCheckedContinuation { continuation in
            bounded.waiting.withLock { $0 = continuation }
            let clock = Task.detached {
                // The sleep ends early only when the work has returned.
                try? await Task.sleep(for: limit)
                bounded.end()
            }
            BackgroundThreads.shared.perform {
                work()
                clock.cancel()
                bounded.end()
            }
        }
    }

    private func end() {
        let continuation = waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }
        continuation?.resume()
    }
}
#endif
