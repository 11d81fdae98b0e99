extension StoreMigration {
    /// What a migration did, or would do.
    public struct Report: Sendable, Hashable, CustomStringConvertible {
        /// What it came to.
        public enum Outcome: Sendable, Hashable {
            /// The entries are in the destination, which remembers the migration.
            case carried
            /// It had been carried out before; nothing was done.
            case alreadyDone
            /// The source is empty or missing; nothing was done, and nothing is remembered.
            case nothingThere
            /// Not everything can be carried, and everything was asked for: nothing was done.
            case refused
        }

        /// What it came to.
        public let outcome: Outcome
        /// Whether nothing was done because only a preview was asked for.
        public internal(set) var isPreview = false
        /// What was carried, in which form, and what the destination can't hold.
        public let transfer: StoreTransfer
        /// The keys that have another value in the destination, which stayed; in key order.
        public let kept: [String]
        /// What could not be read from the source.
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

        /// One sentence.
        public var description: String {
            let lost = transfer.refused.count + unreadable.count
            switch outcome {
            case .alreadyDone: return "The migration was carried out before; nothing was done."
            case .nothingThere: return "There is nothing to migrate."
            case .refused:
                return "Nothing \(isPreview ? "would be" : "was") migrated: \(Self.entries(lost)) can't be carried."
            case .carried:
                let count = transfer.carried.count
                let verb = isPreview ? "would be" : count == 1 ? "was" : "were"
                var parts = ["\(Self.entries(count)) \(verb) carried"]
                if !transfer.altered.isEmpty { parts.append("\(transfer.altered.count) of them in another form") }
                if !transfer.unread.isEmpty { parts.append("\(transfer.unread.count) could not be read back") }
                if !kept.isEmpty { parts.append("\(kept.count) had another value already, which stays") }
                if lost > 0 { parts.append("\(lost) can't be carried") }
                return parts.joined(separator: ", ") + "."
            }
        }

        private static func entries(_ count: Int) -> String { count == 1 ? "1 entry" : "\(count) entries" }
    }
}
