import LarderFiles
import Synchronization

/// A thread or task that waits until a commit is synced to disk.
struct SyncWaiter {
    enum Caller {
        case thread(WaitingThread)
        case task(CheckedContinuation<Void, any Error>)
    }

    /// The number of the commit to wait for, counted in commit order.
    let number: UInt64
    let caller: Caller

    /// Whether the waiter is a blocked thread, which can perform the next sync for all waiters.
    var canLead: Bool {
        if case .thread = caller { true } else { false }
    }

    /// Resumes the waiting thread or task with the result of the sync.
    func tell(_ result: Result<Void, any Error>) {
        switch caller {
        case .thread(let thread): thread.tell(.done(result))
        case .task(let continuation): continuation.resume(with: result)
        }
    }
}

/// A blocked thread that waits for the result of a sync, or for its turn to perform the next sync.
final class WaitingThread: Sendable {
    enum News: Sendable {
        case done(Result<Void, any Error>)
        /// The thread must perform the next sync for all waiters.
        case lead
    }

    private let news = Mutex<News?>(nil)
    private let alarm = ThreadSemaphore()

    /// Blocks the current thread until a message arrives, and returns the message.
    func wait() -> News {
        while true {
            if let news = news.withLock(\.self) { return news }
            alarm.wait()
        }
    }

    func tell(_ news: News) {
        self.news.withLock { $0 = news }
        alarm.signal()
    }
}
