/// Why bytes are not the canonical encoding of a value, or a value has none.
public struct StoredValueFormatError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, as a value to compare; new ones may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name that is printed.
        public let description: String
        private init(_ name: String) { description = name }

        /// The bytes end inside the value.
        public static let truncated = Code("truncated")
        /// More bytes follow the value.
        public static let trailingBytes = Code("trailingBytes")
        /// A value begins with a byte that stands for no kind.
        public static let unknownTag = Code("unknownTag")
        /// A value is written in a form other than its one canonical form.
        public static let notCanonical = Code("notCanonical")
        /// A text is not valid UTF-8.
        public static let invalidText = Code("invalidText")
        /// More than ``StoredValue/maximumDepth`` arrays and dictionaries lie inside one another.
        public static let nestedTooDeep = Code("nestedTooDeep")
    }

    /// What is wrong.
    public let code: Code
    /// Where the offending item begins, in bytes from the beginning of the encoding.
    public let offset: Int

    init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// One sentence.
    public var description: String { "The encoded value is wrong at byte \(offset): \(code)." }
}
