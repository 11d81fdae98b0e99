public import LarderCore

/// What a ``DefaultsMigration`` did, or would do.
public struct DefaultsMigrationReport: Sendable, Hashable, CustomStringConvertible {
    /// What it came to.
    public enum Outcome: Sendable, Hashable {
        /// Everything was done, and the store remembers it.
        case carried
        /// It had been carried out before; nothing was done.
        case alreadyDone
        /// Nothing is stored under any of the names; nothing was done, and nothing is remembered.
        case nothingThere
        /// A step failed: nothing was done.
        case refused
    }

    /// What one step did.
    public struct Item: Sendable, Hashable, CustomStringConvertible {
        /// What a step came to.
        public enum Outcome: Sendable, Hashable {
            /// Nothing was stored.
            case absent
            /// It was stored in the right form already.
            case unchanged
            /// It was written in another form, or under another name; without a `to` it was removed.
            case written(from: StoredValue.Kind?, to: StoredValue.Kind?)
            /// Another value is stored under the key already, and stays.
            case kept
            /// It could not be read or written, for this reason.
            case failed(String)
        }

        /// The name that was read.
        public let name: String
        /// The name of the key; the same for a step that removes.
        public let key: String
        /// What it came to.
        public let outcome: Outcome

        /// One line.
        public var description: String {
            let names = name == key ? name : "\(name) -> \(key)"
            return switch outcome {
            case .absent: "\(names): nothing stored"
            case .unchanged: "\(names): as it should be"
            case .written(let from, nil): "\(names): \(from?.rawValue ?? "nothing") removed"
            case .written(let from, let to?): "\(names): \(from?.rawValue ?? "nothing") becomes \(to.rawValue)"
            case .kept: "\(names): another value is there and stays"
            case .failed(let reason): "\(names): \(reason)"
            }
        }
    }

    /// What it came to.
    public let outcome: Outcome
    /// What every step did, in their order; empty when it was carried out before.
    public let items: [Item]
    /// Whether nothing was done because only a preview was asked for.
    public internal(set) var isPreview = false

    init(outcome: Outcome, items: [Item]) {
        self.outcome = outcome
        self.items = items
    }

    /// The report of steps that were all tried.
    init(_ items: [Item]) {
        let hasFailed = items.contains { if case .failed = $0.outcome { true } else { false } }
        let isEmpty = items.allSatisfy { $0.outcome == .absent }
        self.init(outcome: hasFailed ? .refused : isEmpty ? .nothingThere : .carried, items: items)
    }

    /// A heading, then a line for each step.
    public var description: String {
        let heading =
            switch outcome {
            case .carried: isPreview ? "This would be done:" : "This was done:"
            case .alreadyDone: "The migration was carried out before; nothing \(isPreview ? "would be" : "was") done."
            case .nothingThere: "There is nothing to migrate."
            case .refused: "Nothing \(isPreview ? "would be" : "was") done, because a step fails:"
            }
        return ([heading] + items.map { "  \($0)" }).joined(separator: "\n")
    }
}
