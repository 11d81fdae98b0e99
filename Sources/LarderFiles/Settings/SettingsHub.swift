import Synchronization

/// Tells all instances over one file, in this process, that it changed.
final class SettingsHub: Sendable {
    private struct State {
        var listeners: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

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
            return state.next
        }
    }

    func stopListening(_ number: Int) { state.withLock { _ = $0.listeners.removeValue(forKey: number) } }

    /// Outside the lock, so that a listener may do as it likes.
    func notify() { for listener in state.withLock({ Array($0.listeners.values) }) { listener() } }
}
