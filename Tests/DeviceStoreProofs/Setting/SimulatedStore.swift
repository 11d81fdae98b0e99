package import LarderCore
package import LarderDeviceStore
package import LarderFiles
package import LarderTestSupport

/// A device store on a simulated disk, without automatic maintenance.
package struct SimulatedStore {
    /// The path of the store.
    package static let path = "/data/s.larder"
    let fileSystem: any FileSystem
    let io: DeviceStoreOptions.IO

    package init(on fileSystem: any FileSystem, _ io: DeviceStoreOptions.IO) {
        self.fileSystem = fileSystem
        self.io = io
    }

    /// Creates an empty disk with the store's folder.
    ///
    /// The control file is excluded from crash images, because its content is ignored after a reboot.
    package static func disk(isRecording: Bool = true, recordsControlFile: Bool = false) -> SimulatedFileSystem {
        let disk = SimulatedFileSystem(directories: ["/data"], isRecording: isRecording)
        if !recordsControlFile { disk.leaveUnrecorded(suffix: ".ctl") }
        return disk
    }

    /// Opens the store; each instance acts as another process.
    package func open(_ change: (inout DeviceStoreOptions) -> Void = { _ in }) throws -> DeviceStore {
        try DeviceStore(path: Self.path, options: options(change))
    }

    package func options(_ change: (inout DeviceStoreOptions) -> Void = { _ in }) -> DeviceStoreOptions {
        var options = DeviceStoreOptions()
        options.io = io
        options.environment.fileSystem = fileSystem
        options.environment.isShared = false
        options.environment.isAutomatic = false
        options.environment.lockLimit = .milliseconds(20)
        change(&options)
        return options
    }
}

/// Runs `body` without logging the issues that follow a crash.
package func silently<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withIssueHandler({ _ in }, operation: body)
}

/// The entries of a store, for comparison.
package typealias Contents = [String: StoredValue]

extension DeviceStore {
    /// Returns the entries of the store, for comparison.
    package func contents() throws -> Contents {
        Dictionary(uniqueKeysWithValues: try entries(prefix: "").map { ($0.key, $0.value) })
    }

    // The blocking forms, also for asynchronous callers.
    package func flushNow() throws { try flush() }
    package func closeNow() throws { try close() }
    package func setSynced(_ value: StoredValue, for key: StoreKey) throws {
        try set(value, for: key, durability: .synced)
    }
}
