/// The limits of a store for the keys of an entry and the size of a batch.
public struct StoreLimits: Sendable, Hashable {
    /// The maximum number of operations of a batch.
    ///
    /// Each write, each expected value and each entry of an expected listing is one operation.
    public var operations: Int
    /// The maximum number of bytes of a batch.
    ///
    /// The size of an operation is that of its key and its encoded value, and ``bytesOfEachOperation``.
    public var bytes: Int
    /// The maximum length of a key in UTF-8 bytes.
    public var keyLength: Int
    /// Whether a key may be an empty string.
    public var allowsEmptyKeys: Bool

    /// The number of bytes that each operation counts in addition to its key and value: 64.
    public static let bytesOfEachOperation = 64

    /// Creates limits, which are those of every store by default.
    ///
    /// - Parameters:
    ///   - operations: See ``operations``.
    ///   - bytes: See ``bytes``.
    ///   - keyLength: See ``keyLength``.
    ///   - allowsEmptyKeys: See ``allowsEmptyKeys``.
    public init(
        operations: Int = .max,
        bytes: Int = .max,
        keyLength: Int = StoreKey.maximumLength,
        allowsEmptyKeys: Bool = true
    ) {
        self.operations = operations
        self.bytes = bytes
        self.keyLength = keyLength
        self.allowsEmptyKeys = allowsEmptyKeys
    }
}
