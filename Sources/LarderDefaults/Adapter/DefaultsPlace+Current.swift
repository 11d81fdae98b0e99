public import LarderCore
import LarderDeviceStorage
public import Synchronization

extension DefaultsPlace {
    @TaskLocal fileprivate static var replacement: DefaultsPlace?
    /// Whether any task ever had a store put in place of the device's: if not, none is looked for.
    @usableFromInline static let isEverReplaced = Atomic<Bool>(false)
    @usableFromInline static let standard = DefaultsPlace(
        DeviceStorage.standardDefaults.facade,
        layers: DeviceStorage.readsLaunchArguments ? [.arguments()] : []
    )

    /// The device's storage, or what stands in its place in this task.
    @inlinable static var current: DefaultsPlace {
        isEverReplaced.load(ordering: .relaxed) ? replaced : standard
    }

    @usableFromInline static var replaced: DefaultsPlace { replacement ?? standard }
}

/// Puts a store in the place of the device's storage, for ``Defaults`` and every adapter without a store of its own.
///
/// It holds for `operation` and the tasks it starts, and for nobody else, so that tests run in parallel:
///
/// ```swift
/// @Test func countsLaunches() {
///     withDefaults(MemoryStore()) { ... }
/// }
/// ```
///
/// **Dispatch queues, threads and detached tasks do not inherit it:** they still see the device's storage.
///
/// - Parameters:
///   - store: What stands in.
///   - operation: What to run.
/// - Returns: What `operation` returned.
/// - Throws: What `operation` threw.
public func withDefaults<Result>(_ store: any KeyValueStore, operation: () throws -> Result) rethrows -> Result {
    DefaultsPlace.isEverReplaced.store(true, ordering: .relaxed)
    return try DefaultsPlace.$replacement.withValue(DefaultsPlace(StoreUserDefaults(store)), operation: operation)
}

/// Puts a store in the place of the device's storage, for ``Defaults`` and every adapter without a store of its own.
///
/// It holds for `operation` and the tasks it starts. Dispatch queues, threads and detached tasks do not inherit it.
///
/// - Parameters:
///   - store: What stands in.
///   - isolation: The caller's isolation; no hop is made.
///   - operation: What to run.
/// - Returns: What `operation` returned.
/// - Throws: What `operation` threw.
public func withDefaults<Result>(
    _ store: any KeyValueStore,
    isolation: isolated (any Actor)? = #isolation,
    operation: () async throws -> Result
) async rethrows -> Result {
    DefaultsPlace.isEverReplaced.store(true, ordering: .relaxed)
    return try await DefaultsPlace.$replacement.withValue(
        DefaultsPlace(StoreUserDefaults(store)),
        operation: operation,
        isolation: isolation
    )
}
