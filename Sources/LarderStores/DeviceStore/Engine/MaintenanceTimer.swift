import Dispatch
import LarderFiles
import Synchronization

/// Has an engine maintained from time to time.
///
/// To begin one wakes a thread, which takes a quarter of the time in which a small store is opened. So one whose engine is closed stays for
/// the next engine, and ends when its time comes before there is any.
final class MaintenanceTimer: Sendable {
    private struct State {
        /// Held, and not weakly: an object that ever had a weak reference pays for it with every strong one, and so with every read.
        var engine: DeviceEngine?
        var isAtWork = false
    }

    /// Those that have no engine and nothing to finish.
    ///
    /// Every change of a timer's engine is made under this lock.
    private static let idle = Mutex<[MaintenanceTimer]>([])

    private let state: Mutex<State>
    private let interval: Duration
    /// In a child process the parent's do nothing any more.
    private let forks = CurrentProcess.forkGeneration

    /// One for `engine`, which it keeps until it is told to let go of it.
    static func begin(for engine: DeviceEngine, every interval: Duration) -> MaintenanceTimer {
        let forks = CurrentProcess.forkGeneration
        let waiting = idle.withLock { idle -> MaintenanceTimer? in
            let index = idle.lastIndex { $0.interval == interval && $0.forks == forks }
            guard let timer = index.map({ idle.remove(at: $0) }) else { return nil }
            timer.state.withLock { $0.engine = engine }
            return timer
        }
        return waiting ?? MaintenanceTimer(engine, interval)
    }

    private init(_ engine: DeviceEngine, _ interval: Duration) {
        state = Mutex(State(engine: engine))
        self.interval = interval
        let source = DispatchSource.makeTimerSource(queue: DispatchQueue.global(qos: .utility))
        let (seconds, attoseconds) = interval.components
        let pause = DispatchTimeInterval.milliseconds(Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
        source.schedule(deadline: .now() + pause, repeating: pause, leeway: .milliseconds(100))
        // They keep each other until the source is cancelled.
        source.setEventHandler {
            guard let engine = self.beginWork() else { return source.cancel() }
            engine.maintain()
            self.state.withLock { $0.isAtWork = false }
        }
        source.resume()
    }

    /// Lets go of the engine, which may be maintained once more at this moment.
    func letGo() {
        Self.idle.withLock { idle in
            let isAtWork = state.withLock { state in
                state.engine = nil
                return state.isAtWork
            }
            // Another engine would have to wait until this one's disk has answered; so this was its last.
            if !isAtWork { idle.append(self) }
        }
    }

    /// The engine, with which it is at work from here on; `nil` when there is none, and never will be.
    private func beginWork() -> DeviceEngine? {
        Self.idle.withLock { idle in
            let engine = state.withLock { state in
                state.isAtWork = state.engine != nil
                return state.engine
            }
            if engine == nil { idle.removeAll { $0 === self } }
            return engine
        }
    }
}
