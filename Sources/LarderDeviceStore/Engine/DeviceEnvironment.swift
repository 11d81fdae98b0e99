package import LarderCore
package import LarderFiles

/// The dependencies of a ``DeviceStore``, which tests can replace.
package struct DeviceEnvironment: Sendable {
    package var fileSystem: any FileSystem = .local
    package var time: any TimeSource = .system
    /// Whether stores for the same file share an engine in this process.
    ///
    /// If `false`, each store behaves as if it were in a different process.
    package var isShared = true
    /// Whether syncs and compactions run automatically on background threads.
    ///
    /// If `false`, a compaction runs in the commit that makes it necessary, and ``DeviceStore/maintain()`` replaces the timer.
    package var isAutomatic = true
    /// Whether a compaction may run although this process makes no commits, because entries have expired.
    package var compactsExpired = true
    /// The maximum time to wait for the interprocess lock.
    package var lockLimit = LogFormat.Control.lockLimit
    /// The interval at which the background thread syncs commits and checks for commits made by other processes.
    package var tick = LogFormat.Control.tick

    package init() {}
}
