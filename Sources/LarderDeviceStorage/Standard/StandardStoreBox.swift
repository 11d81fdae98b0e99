import Foundation
package import LarderCore
import Synchronization

/// A container for the device storage, which can be configured until its store is opened.
package final class StandardStoreBox: Sendable {
    private struct Opened {
        let store: any KeyValueStore
        let defaults: SendableUserDefaults
    }

    private struct State {
        var configuration: StandardStoreConfiguration?
        var opened: Opened?
    }

    private let state = Mutex(State())
    private let openStore: @Sendable (StandardStoreConfiguration?) throws -> any KeyValueStore

    /// Creates a container without opening the store.
    ///
    /// - Parameter openStore: A closure that opens the store with the given configuration.
    package init(_ openStore: @escaping @Sendable (StandardStoreConfiguration?) throws -> any KeyValueStore) {
        self.openStore = openStore
    }

    /// The configuration that was set last, or `nil` if no configuration was set.
    package var configuration: StandardStoreConfiguration? { state.withLock(\.configuration) }

    /// The store, or a fallback if the store can't be opened.
    package var store: any KeyValueStore { opened.store }

    /// A `UserDefaults` object that reads and writes ``store``.
    var defaults: SendableUserDefaults { opened.defaults }

    /// Opens the store, or retries if an earlier attempt failed.
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

    /// Replaces the configuration, or throws an error if the store is already open.
    package func configure(_ configuration: StandardStoreConfiguration) throws {
        try state.withLock { state in
            guard state.opened == nil else { throw StoreError.configuredTooLate }
            state.configuration = configuration
        }
    }

    private var opened: Opened {
        while true {
            let (configuration, opened) = state.withLock { ($0.configuration, $0.opened) }
            if let opened { return opened }
            // No lock is held here, because an issue handler may run in the meantime and use the standard store.
            let store = ReopeningStore.opening { [openStore] in try openStore(configuration) }
            guard let opened = keep(store, for: configuration) else { continue }
            // If another thread has opened the store first, that thread has reported its own error.
            if let standIn = opened.store as? ReopeningStore, standIn === store as? ReopeningStore {
                standIn.reportFailure()
            }
            return opened
        }
    }

    /// Installs `store` unless a store is already installed, and returns the installed store.
    ///
    /// Returns `nil` if the configuration has changed since `store` was opened.
    private func keep(_ store: any KeyValueStore, for configuration: StandardStoreConfiguration?) -> Opened? {
        // The object is created and released outside the lock.
        let made = Opened(store: store, defaults: SendableUserDefaults(UserDefaultsFacade(store)))
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
        "Device storage can't be configured, because it is already in use. Configure it before the first value is read or written."
    )
}
