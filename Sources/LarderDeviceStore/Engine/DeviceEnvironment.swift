package import LarderCore
package import LarderFiles

/// What a ``DeviceStore`` asks of its surroundings, to be replaced in tests.
package struct DeviceEnvironment: Sendable {
    package var fileSystem: any FileSystem = .local
    package var time: any TimeSource = .system
    /// Whether stores over one file in this process share one engine.
    ///
    /// Without it each is like another process.
    package var isShared = true
    /// Whether syncs and compactions that are due happen by themselves, on other threads.
    ///
    /// Without it compaction happens in the commit that makes it due, and ``DeviceStore/maintain()`` stands for the
    /// clock.
    package var isAutomatic = true
    /// How long to wait for the lock.
    package var lockLimit = LogFormat.Control.lockLimit
    /// How often a store that does things by itself looks whether something is to be synced, and whether others have
    /// written.
    package var tick = LogFormat.Control.tick

    package init() {}
}
