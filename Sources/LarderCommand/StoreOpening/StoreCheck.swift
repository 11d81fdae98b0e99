import LarderCore
import LarderDeviceStore

/// A verification of the store at a path, even if the store is too corrupt to open.
struct StoreCheck {
    struct Result {
        let store: String
        let kind: String
        let verification: StoreVerification
        /// Whether the file itself is corrupt, as opposed to encrypted values in an intact file.
        ///
        /// Only a corrupt file can be repaired.
        var isFileDamaged = true
        /// The error that prevents the store from being opened, or `nil` if the store can be opened.
        var refusal: StoreError?
    }

    let opener: StoreOpener

    func run(_ progress: @Sendable (StoreProgress) -> Void = { _ in }) throws -> Result {
        do {
            let (store, base) = try opener.openForLooking(.checking)
            let verification = try Self.verification(of: store, over: base, progress)
            var result = Result(store: store.inspectionName, kind: store.inspectionKind, verification: verification)
            if !verification.isIntact, opener.key != nil {
                result.isFileDamaged = try !Self.verification(of: base, over: base, { _ in }).isIntact
            }
            return result
        } catch let error as StoreError where error.code == .damaged {
            let (path, kind) = try opener.existing()
            let problem = StoreVerification.Problem(error.message, key: error.key, offset: error.offset)
            return Result(
                store: error.path ?? path,
                kind: kind.inspectionKind,
                verification: StoreVerification(checkedEntries: 0, problems: [problem]),
                refusal: error
            )
        }
    }

    private static func verification(
        of store: any KeyValueStore,
        over base: any KeyValueStore,
        _ progress: @Sendable (StoreProgress) -> Void
    ) throws -> StoreVerification {
        guard let device = base as? DeviceStore else { return try store.verify() }
        let found = try (store as? DeviceStore)?.verify(progress: progress) ?? store.verify()
        guard let damage = device.damage else { return found }
        // Verification reports only the first corrupt byte of a file.
        let others = found.problems.filter { $0.offset != damage.ranges.first?.lowerBound }
        return StoreVerification(checkedEntries: try device.count(), problems: damage.problems + others)
    }
}

extension DeviceStoreDamage {
    /// The verification problems, one for each corrupt byte range.
    var problems: [StoreVerification.Problem] {
        ranges.map { .init("\(counted($0.count, "byte is", "bytes are")) corrupt.", offset: $0.lowerBound) }
    }
}
