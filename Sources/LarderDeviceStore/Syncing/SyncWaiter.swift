import LarderFiles
import Synchronization

/// A caller that waits for the disk, and for what.
struct SyncWaiter {
    enum Caller {
        case thread(WaitingThread)
        case task(CheckedContinuation<Void, any Error>)
    }

    /// The number of commits that must be on the disk.
    let number: UInt64
    let caller: Caller

    /// Whether it has a thread on which it can lead the next sync.
    var canLead: Bool {
        if case .thread = caller { true } else { false }
    }

    /// Ends its waiting.
    func tell(_ result: Result<Void, any Error>) {
        switch caller {
        case .thread(let thread): thread.tell(.done(result))
        case .task(let continuation): continuation.resume(with: result)
        }
    }
}

/// A thread that is told once.
final class WaitingThread: Sendable {
    enum News: Sendable {
        case done(Result<Void, any Error>)
        /// It is to lead the next sync itself.
        case lead
    }

    private struct State {
        var news: News?
        /// Made by a thread that goes to sleep; most don't.
        var alarm: ThreadSemaphore?
    }

    private let state = Mutex(State())
    private let isTold = Atomic(false)

    /// Blocks the thread until it is told.
    ///
    /// - Parameters:
    ///   - yielding: How it lets others run before it sleeps.
    ///   - limit: For how long it does.
    /// - Returns: What it is told.
    func wait(_ yielding: Yielding, within limit: Duration) -> News {
        if limit > .zero { yielding.wait(within: limit) { isTold.load(ordering: .relaxed) } }
        while true {
            let (news, alarm) = state.withLock { state in
                if state.news == nil, state.alarm == nil { state.alarm = ThreadSemaphore() }
                return (state.news, state.alarm)
            }
            if let news { return news }
            alarm?.wait()
        }
    }

    func tell(_ news: News) {
        let alarm = state.withLock { state in
            state.news = news
            return state.alarm
        }
        isTold.store(true, ordering: .relaxed)
        alarm?.signal()
    }
}
