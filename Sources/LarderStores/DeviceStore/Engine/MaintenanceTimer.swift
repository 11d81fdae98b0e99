import Dispatch
import LarderFiles
import Synchronization

/// Has an engine maintained from time to time.
///
/// To begin one wakes a thread, which takes a quarter of the time in which a small store is opened. So one whose engine is closed stays for
/// the next engine, and ends when its time comes before there is any.
final class MaintenanceTimer: Sendable {
    /// Those that have no engine.
    ///
    /// Every change of a timer's engine is made under this lock.
    private static let idle = Mutex<[MaintenanceTimer]>([])

    private let engine: Mutex<DeviceEngine?>
    private let interval: Duration
    /// In a child process the parent's do nothing any more.
    private let forks = CurrentProcess.forkGeneration

    /// One for `engine`, which it keeps until it is told to let go of it.
    static func begin(for engine: DeviceEngine, every interval: Duration) -> MaintenanceTimer {
        let forks = CurrentProcess.forkGeneration
        let waiting = idle.withLock { idle -> MaintenanceTimer? in
            let index = idle.lastIndex { $0.interval == interval && $0.forks == forks }
            guard let timer = index.map({ idle.remove(at: $0) }) else { return nil }
            timer.engine.withLock { $0 = engine }
            return timer
        }
        return waiting ?? MaintenanceTimer(engine, interval)
    }

    private init(_ engine: DeviceEngine, _ interval: Duration) {
        self.engine = Mutex(engine)
        self.interval = interval
        let source = DispatchSource.makeTimerSource(queue: DispatchQueue.global(qos: .utility))
        let (seconds, attoseconds) = interval.components
        let pause = DispatchTimeInterval.milliseconds(Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
        source.schedule(deadline: .now() + pause, repeating: pause, leeway: .milliseconds(100))
        // They keep each other until the source is cancelled.
        source.setEventHandler {
            if let engine = self.engineOrNone() { engine.maintain() } else { source.cancel() }
        }
        source.resume()
    }

    /// Lets go of the engine, which may be maintained once more at this moment.
    func letGo() {
        Self.idle.withLock { idle in
            engine.withLock { $0 = nil }
            idle.append(self)
        }
    }

    /// The engine; `nil` when there is none, and never will be.
    private func engineOrNone() -> DeviceEngine? {
        Self.idle.withLock { idle in
            let engine = engine.withLock { $0 }
            if engine == nil { idle.removeAll { $0 === self } }
            return engine
        }
    }
}
