extension StoreMigration {
    /// The result of a migration or of its preview.
    public struct Report: Sendable, Hashable, CustomStringConvertible {
        /// The outcome of a migration.
        public enum Outcome: Sendable, Hashable {
            /// The entries were written to the destination, together with a record of the completed migration.
            case migrated
            /// An earlier run completed the migration, so this run had no effect.
            case alreadyDone
            /// Nothing was changed or recorded, because the source is empty or missing.
            case nothingToMigrate
            /// Nothing was changed, because some entries cannot be migrated and ``StoreTransfer/Completeness/all`` was required.
            case refused
        }

        /// The outcome of the migration.
        public let outcome: Outcome
        /// Whether the report describes a preview, which changes nothing.
        public internal(set) var isPreview = false
        /// The details of the copy, including the entries that were stored in another form or rejected.
        public let transfer: StoreTransfer
        /// The sorted keys whose values in the destination differ from the source and were not replaced.
        public let kept: [String]
        /// The entries that could not be read from the source.
        public let unreadable: [StoreVerification.Problem]

        init(
            outcome: Outcome,
            transfer: StoreTransfer = StoreTransfer(),
            kept: [String] = [],
            unreadable: [StoreVerification.Problem] = []
        ) {
            self.outcome = outcome
            self.transfer = transfer
            self.kept = kept
            self.unreadable = unreadable
        }

        /// A one-sentence summary of the report.
        public var description: String {
            let lost = transfer.refused.count + unreadable.count
            switch outcome {
            case .alreadyDone: return "The migration was completed earlier, so this run had no effect."
            case .nothingToMigrate: return "There is nothing to migrate."
            case .refused:
                return
                    "Nothing \(isPreview ? "would be" : "was") migrated because \(counted(lost, "entry", "entries")) can't be copied."
            case .migrated:
                let count = transfer.copied.count
                let verb = isPreview ? "would be" : count == 1 ? "was" : "were"
                var parts = ["\(counted(count, "entry", "entries")) \(verb) copied"]
                if !transfer.altered.isEmpty { parts.append("including \(transfer.altered.count) in another form") }
                if !transfer.unreadable.isEmpty { parts.append("\(transfer.unreadable.count) could not be read back") }
                if !kept.isEmpty { parts.append("\(kept.count) skipped because the destination has a different value") }
                if lost > 0 { parts.append("\(lost) can't be copied") }
                return parts.joined(separator: ", ") + "."
            }
        }
    }
}
