import Foundation
import Synchronization

/// A notification center for one settings file, shared by all users of the file in this process.
///
/// Twice a second, the hub notifies its listeners, which then check the file for changes made by other processes.
final class SettingsHub: Sendable {
    private struct State {
        var listeners: [Int: @Sendable () -> Void] = [:]
        var next = 0
        /// The periodic background task that notifies the listeners, or `nil` if there are no listeners.
        var looking: BackgroundThreads.Repetition?
        /// The threads that are currently updating the file.
        var updating: Set<ObjectIdentifier> = []
    }

    private static let interval = Duration.milliseconds(500)

    private let state = Mutex(State())

    private struct Reference {
        weak var hub: SettingsHub?
    }

    private static let hubs = Mutex<[String: Reference]>([:])

    /// Returns the notification center for the file at `path`.
    static func shared(for path: String) -> SettingsHub {
        let (hub, living) = hubs.withLock { hubs -> (SettingsHub, [SettingsHub]) in
            if let hub = hubs[path]?.hub { return (hub, []) }
            let living = hubs.compactMapValues(\.hub)
            hubs = living.mapValues { Reference(hub: $0) }
            let hub = SettingsHub()
            hubs[path] = Reference(hub: hub)
            return (hub, Array(living.values))
        }
        // These references are released outside the lock, because each may be the last one to its hub.
        withExtendedLifetime(living) {}
        return hub
    }

    /// Registers a closure to call whenever the file may have changed, and returns the identifier for ``stopListening(_:)``.
    ///
    /// - Throws: ``FileError`` if no background thread can be started.
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
        // The listener is released outside the lock, because it may hold the last references to other sequences, which then end.
        let (listener, looking) = state.withLock { state in
            let listener = state.listeners.removeValue(forKey: number)
            guard state.listeners.isEmpty else { return (listener, BackgroundThreads.Repetition?.none) }
            defer { state.looking = nil }
            return (listener, state.looking)
        }
        looking?.end()
        withExtendedLifetime(listener) {}
    }

    /// Calls all listeners, without holding a lock.
    ///
    /// The call has no effect if the current thread is updating the file. The listeners are notified when the update ends.
    func notify() {
        let thread = ObjectIdentifier(Thread.current)
        let listeners = state.withLock { state in
            state.updating.contains(thread) ? [] : Array(state.listeners.values)
        }
        for listener in listeners { listener() }
    }

    /// Runs `body`, which updates the file, and then notifies the listeners.
    ///
    /// - Throws: ``FileError`` with code `nestedUpdate` if this thread is already updating the file, because `body` would deadlock.
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
