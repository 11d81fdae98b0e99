import Synchronization

/// Tells all instances over one file, in this process, that it changed.
///
/// While anybody listens, they are asked to look twice a second, for what other processes have written: one inquiry to the
/// file system each.
final class SettingsHub: Sendable {
    private struct State {
        var listeners: [Int: @Sendable () -> Void] = [:]
        var next = 0
        /// Goes on while there are listeners.
        var looking: BackgroundThreads.Repetition?
    }

    private static let interval = Duration.milliseconds(500)

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

    /// Calls `listener` whenever the file may have changed.
    ///
    /// - Throws: ``FileError`` when no thread can be started to look.
    func listen(_ listener: @escaping @Sendable () -> Void) throws -> Int {
        try state.withLock { state in
            if state.looking == nil {
                state.looking = try BackgroundThreads.shared.repeat(every: Self.interval) { [weak self] in
                    self?.notify()
                }
            }
            state.next += 1
            state.listeners[state.next] = listener
            return state.next
        }
    }

    func stopListening(_ number: Int) {
        // Let go of outside the lock: what a listener holds may end others.
        let (listener, looking) = state.withLock { state in
            let listener = state.listeners.removeValue(forKey: number)
            guard state.listeners.isEmpty else { return (listener, BackgroundThreads.Repetition?.none) }
            defer { state.looking = nil }
            return (listener, state.looking)
        }
        looking?.end()
        withExtendedLifetime(listener) {}
    }

    /// Outside the lock, so that a listener may do as it likes.
    func notify() { for listener in state.withLock({ Array($0.listeners.values) }) { listener() } }
}
