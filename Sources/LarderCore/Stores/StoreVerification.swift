/// What ``KeyValueStore/verify()`` read, and what it found wrong.
public struct StoreVerification: Sendable, Hashable {
    /// One thing that is not as it should be.
    public struct Problem: Sendable, Hashable {
        /// The key it concerns, where it is known.
        public let key: String?
        /// The offset in the store's file, in bytes, where it is known.
        public let offset: Int?
        /// One sentence: what is wrong and what that means for the data.
        public let message: String

        /// A problem.
        ///
        /// - Parameters:
        ///   - message: One sentence.
        ///   - key: The key, where it is known.
        ///   - offset: The offset in bytes, where it is known.
        public init(_ message: String, key: String? = nil, offset: Int? = nil) {
            self.message = message
            self.key = key
            self.offset = offset
        }
    }

    /// How many entries were read and checked.
    public var checkedEntries: Int
    /// Everything found wrong, in the order it was found.
    public var problems: [Problem]

    /// A result.
    ///
    /// - Parameters:
    ///   - checkedEntries: How many entries were read and checked.
    ///   - problems: Everything found wrong.
    public init(checkedEntries: Int, problems: [Problem] = []) {
        self.checkedEntries = checkedEntries
        self.problems = problems
    }

    /// Whether nothing was found wrong.
    public var isIntact: Bool { problems.isEmpty }
}
