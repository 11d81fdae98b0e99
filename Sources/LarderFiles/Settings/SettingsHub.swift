import Dispatch
import Synchronization

/// Tells all instances over one file, in this process, that it changed.
///
/// While anybody listens, they are asked to look twice a second, for what other processes have written: one inquiry to the
/// file system each.
final class SettingsHub: Sendable {
    private struct State {
        var listeners: [Int: @Sendable () -> Void] = [:]
        var next = 0
        /// Runs while there are listeners.
        var timer: (any DispatchSourceTimer)?
    }

    private static let interval = DispatchTimeInterval.milliseconds(500)

    private let state = Mutex(State())

    private struct Reference {
        weak var hub: SettingsHub?
    }

    private static let hubs = Mutex<[String: Reference]>([:])

    /// The one for the file at this path.
    static func shared(for path: String) -> SettingsHub {
        hubs.withLock { hubs in
            if let hub = hubs[path]?.hub { return hub }
            hubs = hubs.filter { $0.value.hub != nil }
            let hub = SettingsHub()
            hubs[path] = Reference(hub: hub)
            return hub
        }
    }

    func listen(_ listener: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.listeners[state.next] = listener
            if state.timer == nil { state.timer = timer() }
            return state.next
        }
    }

    func stopListening(_ number: Int) {
        // Let go of outside the lock: what a listener holds may end others.
        let listener = state.withLock { state in
            let listener = state.listeners.removeValue(forKey: number)
            if state.listeners.isEmpty {
                state.timer?.cancel()
                state.timer = nil
            }
            return listener
        }
        withExtendedLifetime(listener) {}
    }

    private func timer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        timer.schedule(deadline: .now() + Self.interval, repeating: Self.interval, leeway: .milliseconds(100))
        timer.setEventHandler { [weak self] in self?.notify() }
        timer.resume()
        return timer
    }

    /// Outside the lock, so that a listener may do as it likes.
    func notify() { for listener in state.withLock({ Array($0.listeners.values) }) { listener() } }
}
