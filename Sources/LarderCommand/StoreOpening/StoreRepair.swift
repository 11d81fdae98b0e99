import LarderCore
import LarderDeviceStore
import LarderStores

/// A repair of the store at a path, with the results to report to the user.
struct StoreRepair {
    struct Result {
        let path: String
        /// The path of the backup copy of the corrupt file, or `nil` if the file was intact.
        let copiedTo: String?
        let keptEntries: Int
        let keysInDoubt: [String]
        /// The names of Larder's internal records whose latest values may be lost.
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
            description: damage?.description ?? "The file \(path.debugDescription) is not corrupt and was not changed."
        )
    }
}
