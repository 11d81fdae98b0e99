package import LarderCore
package import LarderDeviceStore
package import LarderFiles
package import LarderTestSupport

/// A device store on a lying disk, which does nothing by itself.
package struct SimulatedStore {
    /// Where it lies.
    package static let path = "/data/s.larder"
    let fileSystem: any FileSystem
    let io: DeviceStoreOptions.IO

    package init(on fileSystem: any FileSystem, _ io: DeviceStoreOptions.IO) {
        self.fileSystem = fileSystem
        self.io = io
    }

    /// An empty disk with the folder for it.
    ///
    /// The control file is left out of crash images: nothing in it counts after a start of the machine.
    package static func disk(isRecording: Bool = true, recordsControlFile: Bool = false) -> LyingFileSystem {
        let disk = LyingFileSystem(directories: ["/data"], isRecording: isRecording)
        if !recordsControlFile { disk.leaveUnrecorded(suffix: ".ctl") }
        return disk
    }

    /// Opens it; each is like another process.
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

/// Runs `body` without what crashes leave being logged each time.
package func silently<Result>(_ body: () throws -> Result) rethrows -> Result {
    try withIssueHandler({ _ in }, operation: body)
}

/// What is in a store, for comparing.
package typealias Contents = [String: StoredValue]

extension DeviceStore {
    /// What is in it, for comparing.
    package func contents() throws -> Contents {
        Dictionary(uniqueKeysWithValues: try entries(prefix: "").map { ($0.key, $0.value) })
    }

    // The blocking forms, wherever the caller is.
    package func flushNow() throws { try flush() }
    package func closeNow() throws { try close() }
    package func setSynced(_ value: StoredValue, for key: StoreKey) throws {
        try set(value, for: key, durability: .synced)
    }
}
