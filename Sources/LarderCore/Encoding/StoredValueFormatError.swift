/// An error thrown when bytes are not the canonical encoding of a value, or when a value can't be encoded.
public struct StoredValueFormatError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A code that identifies what is invalid about the encoding.
    ///
    /// New codes may be added in any release.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code.
        public let description: String
        private init(_ name: String) { description = name }

        /// The input ends in the middle of a value.
        public static let truncated = Code("truncated")
        /// The input contains more bytes after the end of the value.
        public static let trailingBytes = Code("trailingBytes")
        /// The first byte of a value is not a known tag.
        public static let unknownTag = Code("unknownTag")
        /// A value is not in its canonical form.
        public static let notCanonical = Code("notCanonical")
        /// A string is not valid UTF-8.
        public static let invalidText = Code("invalidText")
        /// Arrays and dictionaries nest deeper than ``StoredValue/maximumDepth``.
        public static let nestedTooDeep = Code("nestedTooDeep")
    }

    /// The code that identifies what is invalid about the encoding.
    public let code: Code
    /// The byte offset of the invalid item in the encoding.
    public let offset: Int

    init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }

    /// A sentence that contains the code and the offset.
    public var description: String { "The encoded value is invalid at byte \(offset): \(code)." }
}
