package import LarderCore
package import LarderFiles
package import LarderStores
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

/// Random numbers that are the same in every run.
package struct ProofGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
