import Foundation
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
        /// The threads that run an update of the file.
        var updating: Set<ObjectIdentifier> = []
    }

    private static let interval = Duration.milliseconds(500)

    private let state = Mutex(State())

    private struct Reference {
        weak var hub: SettingsHub?
    }

    private static let hubs = Mutex<[String: Reference]>([:])

    /// The one for the file at this path.
    static func shared(for path: String) -> SettingsHub {
        let (hub, living) = hubs.withLock { hubs -> (SettingsHub, [SettingsHub]) in
            if let hub = hubs[path]?.hub { return (hub, []) }
            let living = hubs.compactMapValues(\.hub)
            hubs = living.mapValues { Reference(hub: $0) }
            let hub = SettingsHub()
            hubs[path] = Reference(hub: hub)
            return (hub, Array(living.values))
        }
        // Each of these may be the last reference by now, and is released outside the lock.
        withExtendedLifetime(living) {}
        return hub
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

    /// Calls the listeners, outside every lock; a thread that runs an update does so at its end.
    func notify() {
        let thread = ObjectIdentifier(Thread.current)
        let listeners = state.withLock { state in
            state.updating.contains(thread) ? [] : Array(state.listeners.values)
        }
        for listener in listeners { listener() }
    }

    /// Runs `body`, which keeps other writers of the file out, and then notifies.
    ///
    /// - Throws: ``FileError`` of code `nestedUpdate` if this thread runs such a body already: it would wait for itself.
    func updating<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        let thread = ObjectIdentifier(Thread.current)
        guard state.withLock({ $0.updating.insert(thread).inserted }) else {
            throw FileError(.nestedUpdate, .write, path)
        }
        defer {
            state.withLock { _ = $0.updating.remove(thread) }
            notify()
        }
        return try body()
    }
}
