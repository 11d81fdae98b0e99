public import LarderCore

/// The result of a ``DefaultsMigration`` or of its preview.
public struct DefaultsMigrationReport: Sendable, Hashable, CustomStringConvertible {
    /// The outcome of a whole migration.
    public enum Outcome: Sendable, Hashable {
        /// All steps succeeded, and the store has recorded the migration.
        case migrated
        /// The migration had already run, so nothing was changed.
        case alreadyDone
        /// No value was stored under any name that the migration reads, so nothing was changed or recorded.
        case nothingToMigrate
        /// A step failed, so nothing was changed.
        case refused
    }

    /// The result of a single migration step.
    public struct Item: Sendable, Hashable, CustomStringConvertible {
        /// The outcome of a single migration step.
        public enum Outcome: Sendable, Hashable {
            /// No value was stored under the name that the step reads.
            case absent
            /// The value was already stored under the key in the key's format.
            case unchanged
            /// The value was written in another format or under another name, or removed if `to` is `nil`.
            case written(from: StoredValue.Kind?, to: StoredValue.Kind?)
            /// A different value was already stored under the key and was not replaced.
            case kept
            /// The value could not be read or written, for the given reason.
            case failed(String)
        }

        /// The name under which the step read a value.
        public let name: String
        /// The name of the key that the step wrote or removed.
        ///
        /// For a removal, this name equals ``name``.
        public let key: String
        /// The outcome of the step.
        public let outcome: Outcome

        /// A line with the names that the step read and wrote, and the step's outcome.
        public var description: String {
            let names = name == key ? name : "\(name) -> \(key)"
            return switch outcome {
            case .absent: "\(names): nothing stored"
            case .unchanged: "\(names): unchanged"
            case .written(let from, nil): "\(names): \(from?.rawValue ?? "nothing") removed"
            case .written(let from, let to?): "\(names): \(from?.rawValue ?? "nothing") becomes \(to.rawValue)"
            case .kept: "\(names): kept the different value that was already stored"
            case .failed(let reason): "\(names): \(reason)"
            }
        }
    }

    /// The outcome of the migration.
    public let outcome: Outcome
    /// The results of the steps, in the order in which the steps ran.
    ///
    /// The array is empty if the migration had already run.
    public let items: [Item]
    /// Whether the report describes a preview, which writes nothing.
    public internal(set) var isPreview = false

    init(outcome: Outcome, items: [Item]) {
        self.outcome = outcome
        self.items = items
    }

    init(_ items: [Item]) {
        let hasFailed = items.contains { if case .failed = $0.outcome { true } else { false } }
        let isEmpty = items.allSatisfy { $0.outcome == .absent }
        self.init(outcome: hasFailed ? .refused : isEmpty ? .nothingToMigrate : .migrated, items: items)
    }

    /// A heading, followed by one line for each step.
    public var description: String {
        let heading =
            switch outcome {
            case .migrated: isPreview ? "The migration would make these changes:" : "The migration made these changes:"
            case .alreadyDone:
                "The migration has already run, so nothing \(isPreview ? "would be" : "was") changed."
            case .nothingToMigrate: "There is nothing to migrate."
            case .refused:
                "Nothing \(isPreview ? "would be" : "was") changed, because a step \(isPreview ? "would fail" : "failed"):"
            }
        return ([heading] + items.map { "  \($0)" }).joined(separator: "\n")
    }
}
