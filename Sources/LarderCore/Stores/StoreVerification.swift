/// The result of ``KeyValueStore/verify()``.
public struct StoreVerification: Sendable, Hashable {
    /// A problem found by a verification.
    public struct Problem: Sendable, Hashable {
        /// The affected key, if known.
        public let key: String?
        /// The byte offset of the problem in the store's file, if known.
        public let offset: Int?
        /// A description of the problem and its effect on the data, as one sentence.
        public let message: String

        /// Creates a description of a problem.
        ///
        /// - Parameters:
        ///   - message: A description of the problem, as one sentence.
        ///   - key: The affected key, if known.
        ///   - offset: The byte offset in the store's file, if known.
        public init(_ message: String, key: String? = nil, offset: Int? = nil) {
            self.message = message
            self.key = key
            self.offset = offset
        }
    }

    /// The number of entries that were read and checked.
    public var checkedEntries: Int
    /// All problems, in the order in which they were found.
    public var problems: [Problem]

    /// Creates the result of a verification.
    ///
    /// - Parameters:
    ///   - checkedEntries: The number of entries that were read and checked.
    ///   - problems: All problems that were found.
    public init(checkedEntries: Int, problems: [Problem] = []) {
        self.checkedEntries = checkedEntries
        self.problems = problems
    }

    /// Whether the verification found no problems.
    public var isIntact: Bool { problems.isEmpty }
}
