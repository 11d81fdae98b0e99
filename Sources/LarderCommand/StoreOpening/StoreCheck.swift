import LarderCore
import LarderDeviceStore

/// Checks a store by path, also one that is too damaged to be used.
struct StoreCheck {
    struct Result {
        let store: String
        let kind: String
        let verification: StoreVerification
        /// Whether it is the file that has the problems, which a repair is for, and not what was sealed in it.
        var isFileDamaged = true
        /// Why nothing of it can be read, if so.
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
        // Verification says of a damaged file only where it begins to be so.
        let others = found.problems.filter { $0.offset != damage.ranges.first?.lowerBound }
        return StoreVerification(checkedEntries: try device.count(), problems: damage.problems + others)
    }
}

extension DeviceStoreDamage {
    /// A problem for each damaged range.
    var problems: [StoreVerification.Problem] {
        ranges.map { .init("\($0.count) bytes are not as they were written.", offset: $0.lowerBound) }
    }
}
