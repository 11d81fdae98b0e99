import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport

/// A device store on a lying disk, which does nothing by itself.
struct LyingStore {
    static let path = "/data/s.larder"
    let disk: LyingFileSystem
    let io: DeviceStoreOptions.IO

    init(
        _ disk: LyingFileSystem = LyingFileSystem(directories: ["/data"]),
        io: DeviceStoreOptions.IO = .systemCalls
    ) {
        self.disk = disk
        self.io = io
    }

    /// Each is like another process.
    func open(_ change: (inout DeviceStoreOptions) -> Void = { _ in }) throws -> DeviceStore {
        // What a crash leaves is reported each time; the tests look at what is stored.
        try withIssueHandler({ _ in }) { try DeviceStore(path: Self.path, options: options(change)) }
    }

    func options(_ change: (inout DeviceStoreOptions) -> Void = { _ in }) -> DeviceStoreOptions {
        var options = DeviceStoreOptions()
        options.io = io
        options.environment.fileSystem = disk
        options.environment.isShared = false
        options.environment.isAutomatic = false
        options.environment.lockLimit = .milliseconds(20)
        change(&options)
        return options
    }
}

extension DeviceStoreOptions {
    /// The defaults, but for how commits are written.
    static func with(_ io: IO) -> DeviceStoreOptions {
        var options = DeviceStoreOptions()
        options.io = io
        return options
    }
}

/// What is in a store, for comparing.
func contents(_ store: DeviceStore) throws -> [String: StoredValue] {
    Dictionary(uniqueKeysWithValues: try store.entries(prefix: "").map { ($0.key, $0.value) })
}

/// The blocking forms, wherever the caller is.
func closeNow(_ store: DeviceStore) throws { try store.close() }
func flushNow(_ store: DeviceStore) throws { try store.flush() }
func setSynced(_ store: DeviceStore, _ value: StoredValue, _ key: StoreKey) throws {
    try store.set(value, for: key, durability: .synced)
}

/// Random numbers that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
