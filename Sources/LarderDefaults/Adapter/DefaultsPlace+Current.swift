public import LarderCore
import LarderDeviceStorage
public import Synchronization

extension DefaultsPlace {
    @TaskLocal fileprivate static var replacement: DefaultsPlace?
    /// Whether `withDefaults` has ever been called in this process.
    @usableFromInline static let isEverReplaced = Atomic<Bool>(false)
    @usableFromInline static let standard = DefaultsPlace(
        StandardStore.userDefaults.facade,
        layers: StandardStore.readsLaunchArguments ? [.arguments()] : []
    )

    /// The device's storage, or the replacement that `withDefaults` set for the current task.
    @inlinable static var current: DefaultsPlace {
        isEverReplaced.load(ordering: .relaxed) ? replaced : standard
    }

    @usableFromInline static var replaced: DefaultsPlace { replacement ?? standard }
}

/// Replaces the device's storage with another store, for ``Defaults`` and every adapter that was created without a store.
///
/// The replacement applies to `operation` and its child tasks only, so tests can run in parallel:
///
/// ```swift
/// @Test func countsLaunches() {
///     withDefaults(MemoryStore()) { ... }
/// }
/// ```
///
/// **Dispatch queues, threads and detached tasks do not inherit the replacement.** They use the device's storage.
///
/// - Parameters:
///   - store: The store to use instead of the device's storage.
///   - operation: The code to run.
/// - Returns: The result of `operation`.
/// - Throws: An error thrown by `operation`.
public func withDefaults<Result>(_ store: any KeyValueStore, operation: () throws -> Result) rethrows -> Result {
    DefaultsPlace.isEverReplaced.store(true, ordering: .relaxed)
    return try DefaultsPlace.$replacement.withValue(DefaultsPlace(UserDefaultsFacade(store)), operation: operation)
}

/// Replaces the device's storage with another store, for ``Defaults`` and every adapter that was created without a store.
///
/// The replacement applies to `operation` and its child tasks only. Dispatch queues, threads and detached tasks do not inherit the
/// replacement.
///
/// - Parameters:
///   - store: The store to use instead of the device's storage.
///   - isolation: The caller's isolation, in which `operation` runs.
///   - operation: The code to run.
/// - Returns: The result of `operation`.
/// - Throws: An error thrown by `operation`.
public func withDefaults<Result>(
    _ store: any KeyValueStore,
    isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
) async rethrows -> Result {
    DefaultsPlace.isEverReplaced.store(true, ordering: .relaxed)
    return try await DefaultsPlace.$replacement.withValue(
        DefaultsPlace(UserDefaultsFacade(store)),
        operation: operation,
        isolation: isolation
    )
}
