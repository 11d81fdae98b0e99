import LarderFiles
import Synchronization

/// A caller that waits for a sync.
struct SyncWaiter {
    enum Caller {
        case thread(WaitingThread)
        case task(CheckedContinuation<Void, any Error>)
    }

    /// The number of the commit to wait for.
    let number: UInt64
    let caller: Caller

    /// Whether the caller has a thread on which it can lead the next sync.
    var canLead: Bool {
        if case .thread = caller { true } else { false }
    }

    /// Resumes the caller with `result`.
    func tell(_ result: Result<Void, any Error>) {
        switch caller {
        case .thread(let thread): thread.tell(.done(result))
        case .task(let continuation): continuation.resume(with: result)
        }
    }
}

/// A blocked thread that receives one message.
final class WaitingThread: Sendable {
    enum News: Sendable {
        case done(Result<Void, any Error>)
        /// The thread must lead the next sync.
        case lead
    }

    private let news = Mutex<News?>(nil)
    private let alarm = ThreadSemaphore()

    /// Blocks the thread until it receives a message.
    ///
    /// - Returns: The message.
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
