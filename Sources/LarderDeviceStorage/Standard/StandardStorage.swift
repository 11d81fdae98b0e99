import Foundation
package import LarderCore
import Synchronization

/// The one store of ``DeviceStorage``: configured at most until it is opened, opened once, and never another one afterwards.
package final class StandardStorage: Sendable {
    private struct Opened {
        let store: any KeyValueStore
        let defaults: SendableUserDefaults
    }

    private struct State {
        var configuration: DeviceStorageConfiguration?
        var opened: Opened?
    }

    private let state = Mutex(State())
    private let openStore: @Sendable (DeviceStorageConfiguration?) throws -> any KeyValueStore

    /// Nothing is opened yet.
    ///
    /// - Parameter openStore: Opens the store that a configuration means.
    package init(_ openStore: @escaping @Sendable (DeviceStorageConfiguration?) throws -> any KeyValueStore) {
        self.openStore = openStore
    }

    /// What was configured last.
    package var configuration: DeviceStorageConfiguration? { state.withLock(\.configuration) }

    /// The store, or what stands in for it where it can't be opened.
    package var store: any KeyValueStore { opened.store }

    /// The facade over ``store``.
    var defaults: SendableUserDefaults { opened.defaults }

    /// Opens the store, or tries again where one stands in for it.
    package func open() throws -> any KeyValueStore {
        while true {
            let (configuration, opened) = state.withLock { ($0.configuration, $0.opened) }
            if let opened {
                try (opened.store as? ReopeningStore)?.open()
                return opened.store
            }
            let store = try openStore(configuration)
            if let opened = keep(store, for: configuration) { return opened.store }
        }
    }

    /// Replaces the configuration, as long as nothing was opened.
    package func configure(_ configuration: DeviceStorageConfiguration) throws {
        try state.withLock { state in
            guard state.opened == nil else { throw StoreError.configuredTooLate }
            state.configuration = configuration
        }
    }

    private var opened: Opened {
        while true {
            let (configuration, opened) = state.withLock { ($0.configuration, $0.opened) }
            if let opened { return opened }
            // Opened without the lock: whoever is told of an issue meanwhile may use the standard store.
            let store = ReopeningStore.opening { [openStore] in try openStore(configuration) }
            guard let opened = keep(store, for: configuration) else { continue }
            // Another thread may have been first, and told of its own failure.
            if let standIn = opened.store as? ReopeningStore, standIn === store as? ReopeningStore {
                standIn.reportFailure()
            }
            return opened
        }
    }

    /// Makes `store` the standard one, unless another was first; `nil` when it was configured otherwise meanwhile.
    private func keep(_ store: any KeyValueStore, for configuration: DeviceStorageConfiguration?) -> Opened? {
        // Made and let go of outside the lock.
        let made = Opened(store: store, defaults: SendableUserDefaults(StoreUserDefaults(store)))
        return state.withLock { state in
            if state.opened == nil {
                guard state.configuration == configuration else { return nil }
                state.opened = made
            }
            return state.opened
        }
    }
}

extension StoreError {
    fileprivate static let configuredTooLate = StoreError(
        .invalidConfiguration,
        "Device storage has been used already: configure it before the first value is read or written."
    )
}
