import LarderCore
import LarderDeviceStore
import LarderStores

/// Repairs a store by path, and tells what was done.
struct StoreRepair {
    /// What the repair came to, whatever the kind.
    struct Result {
        let path: String
        /// Where the damaged bytes are now; `nil` when nothing was damaged.
        let copiedTo: String?
        let keptEntries: Int
        let keysInDoubt: [String]
        /// The same of Larder's own records.
        let recordsInDoubt: [String]
        let problems: [StoreVerification.Problem]
        let description: String
    }

    let opener: StoreOpener

    func run(_ progress: @Sendable (StoreProgress) -> Void = { _ in }) throws -> Result {
        let (path, kind) = try opener.existing()
        switch kind {
        case .device: return try Self.device(path, DeviceStore.repair(at: path, progress: progress))
        case .propertyList: return Self.file(try PropertyListStore.repair(path: path))
        case .sharedPreferences: return Self.file(try SharedPreferencesStore.repair(path: path))
        }
    }

    private static func file(_ repair: StoreFileRepair) -> Result {
        Result(
            path: repair.path,
            copiedTo: repair.copiedTo,
            keptEntries: repair.recoveredEntries,
            keysInDoubt: [],
            recordsInDoubt: [],
            problems: repair.problems,
            description: repair.description
        )
    }

    private static func device(_ path: String, _ damage: DeviceStoreDamage?) throws -> Result {
        var options = DeviceStoreOptions()
        options.isReadOnly = true
        return Result(
            path: path,
            copiedTo: damage?.copy,
            keptEntries: try damage?.keptEntries ?? DeviceStore(path: path, options: options).count(),
            keysInDoubt: damage?.keysInDoubt ?? [],
            recordsInDoubt: damage?.recordsInDoubt ?? [],
            problems: damage?.problems ?? [],
            description: damage?.description ?? "\(path) is not damaged; nothing was done."
        )
    }
}
