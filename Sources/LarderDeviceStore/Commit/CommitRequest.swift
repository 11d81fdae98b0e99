import LarderCore

/// The expectations and writes of one commit.
///
/// The request holds pointers that are valid only during the call to the closure that receives the request.
struct CommitRequest: BitwiseCopyable {
    typealias Writes = UnsafeBufferPointer<StoreBatch.Write>

    /// The writes of a batch, or `nil` if ``together`` contains the writes.
    private let batch: UnsafePointer<StoreBatch.Writes>?
    private let together: Writes
    /// The number of writes in the request.
    let count: Int
    var expectations: UnsafeBufferPointer<StoreBatch.Expectation>
    /// The origin of the writes, or `nil` if they originate in this process.
    var origin: UnsafePointer<StoreChange.Origin>?
    /// The time at which all values of this request expire, in milliseconds since 1970, or `nil` if they never expire.
    var expiry: Int64?
    /// Whether the value is new for its key and its bytes are not shared.
    ///
    /// A fresh value is neither compared with the current value nor copied.
    var isFresh = false
    /// Whether the caller will sync the commit.
    var isToBeSynced = false
    /// The key of the write and its hash if they are known and the request has a single write, or `nil` otherwise.
    private var only: (key: KeyWords, hash: UInt64)?

    /// Whether a write can be skipped if the key already holds an equal value.
    var mayBeUnchanged: Bool {
        // A write with an expiry is never skipped, because a compaction may still remove the old entry after the clock was set back.
        !isFresh && expiry == nil
    }

    /// Creates a request for the writes of a batch.
    init(
        _ batch: UnsafePointer<StoreBatch.Writes>,
        _ expectations: UnsafeBufferPointer<StoreBatch.Expectation>,
        origin: UnsafePointer<StoreChange.Origin>
    ) {
        self.batch = batch
        together = Writes(start: nil, count: 0)
        count = batch.pointee.count
        self.expectations = expectations
        self.origin = origin
    }

    /// Creates a request for a single write whose key and hash are known.
    @inline(__always)
    private init(_ write: UnsafePointer<StoreBatch.Write>, _ key: KeyWords, hashed hash: UInt64) {
        self.init(Writes(start: write, count: 1))
        only = (key, hash)
    }

    /// Creates a request without expectations for writes that are contiguous in memory.
    init(_ writes: Writes) {
        batch = nil
        together = writes
        count = writes.count
        expectations = UnsafeBufferPointer(start: nil, count: 0)
    }

    /// Calls `body` with each contiguous chunk of writes, in order, without copying them.
    ///
    /// - Parameter body: A closure that receives the writes of a chunk and the index of the chunk's first write in the request, and returns
    ///   whether to continue.
    @inline(__always)
    func forEachPiece(_ body: (Writes, _ first: Int) throws -> Bool) rethrows {
        guard let batch else {
            _ = try body(together, 0)
            return
        }
        try batch.pointee.forEachPiece(body)
    }

    /// Accesses a copy of the write at `index`.
    ///
    /// Each access involves reference counting, so don't use this subscript on hot paths.
    subscript(index: Int) -> StoreBatch.Write { batch?.pointee[index] ?? together[index] }

    /// Calls `body` with the key of a write and the key's hash.
    @inline(__always)
    func withKey<Result>(
        _ write: UnsafePointer<StoreBatch.Write>,
        _ hash: KeyHash,
        _ body: (KeyWords, _ hash: UInt64) throws -> Result
    ) rethrows -> Result {
        if let only { return try body(only.key, only.hash) }
        let remembered = write.pointee.key.rememberedHash
        return try write.pointee.key.withWords { try body($0, remembered != 0 ? remembered : hash.of($0)) }
    }

    /// The integer, key and hash of a request that only sets one integer without expiry, or `nil` for other requests.
    @inline(__always)
    var onlyInteger: (integer: Int64, key: KeyWords, hash: UInt64)? {
        guard let only, expiry == nil, case .int(let integer)? = together.baseAddress?.pointee.value,
            only.key.count <= LogFormat.maximumKeyLength, only.key.firstByte != 0
        else { return nil }
        return (integer, only.key, only.hash)
    }

    /// Validates all keys and values, like `StoreBatch.validate()`.
    func validate() throws {
        for expectation in expectations {
            if case .value(_, let key) = expectation { try key.validate() }
        }
        try forEachPiece { writes, _ in
            for write in writes { try write.validate() }
            return true
        }
    }

    /// Calls `body` with a request that sets `key` to `value`, or removes `key` if `value` is `nil`.
    @inline(__always)
    static func of<Result>(
        _ value: StoredValue?,
        for key: StoreKey,
        hash: KeyHash,
        _ body: (inout CommitRequest) throws -> Result
    ) rethrows -> Result {
        try withUnsafePointer(to: StoreBatch.Write(canonical: value, for: key)) { write in
            try write.pointee.key.withWords { words in
                let remembered = write.pointee.key.rememberedHash
                var request = CommitRequest(write, words, hashed: remembered != 0 ? remembered : hash.of(words))
                return try body(&request)
            }
        }
    }

    /// Calls `body` with a request that sets the key `text` to `value`, or removes the key if `value` is `nil`.
    ///
    /// The UTF-8 bytes of a contiguous string are not copied.
    @inline(__always)
    static func of<Result>(
        _ value: StoredValue?,
        for text: String,
        hash: KeyHash,
        _ body: (inout CommitRequest) throws -> Result
    ) rethrows -> Result {
        let result = try text.utf8.withContiguousStorageIfAvailable { bytes in
            let words = KeyWords(UnsafeRawBufferPointer(bytes))
            let key = words.isInEntry ? StoreKey(words.short) : StoreKey(long: text)
            return try withUnsafePointer(to: StoreBatch.Write(canonical: value, for: key)) { write in
                var request = CommitRequest(write, words, hashed: hash.of(words))
                return try body(&request)
            }
        }
        return try result ?? of(value, for: StoreKey(text), hash: hash, body)
    }

    /// Calls `body` with a request for a single write that takes effect only if `expectation` holds.
    static func of<Result>(
        _ value: StoredValue?,
        for key: StoreKey,
        if expectation: StoreBatch.Expectation,
        isFresh: Bool,
        hash: KeyHash,
        _ body: (CommitRequest) throws -> Result
    ) rethrows -> Result {
        var expectation = expectation
        if case .value(let value, let key) = expectation { expectation = .value(value, at: key.remembering(hash)) }
        return try withUnsafePointer(to: expectation) { expectation in
            try of(value, for: key, hash: hash) { request in
                request.expectations = UnsafeBufferPointer(start: expectation, count: 1)
                request.isFresh = isFresh
                return try body(request)
            }
        }
    }
}

extension StoreBatch.Write {
    /// Creates a write of the canonical form of `value`, or a removal if `value` is `nil`.
    @inline(__always)
    fileprivate init(canonical value: StoredValue?, for key: StoreKey) {
        // Fast path, because `canonical` would copy an integer once more.
        if case .int(let integer)? = value {
            self.init(.int(integer), for: key)
        } else {
            self.init(value?.canonical, for: key)
        }
    }
}

extension StoreBatch {
    /// Calls `body` with a request that contains the expectations and writes of this batch.
    func withRequest<Result>(isToBeSynced: Bool, _ body: (CommitRequest) throws -> Result) rethrows -> Result {
        try withUnsafePointer(to: writes) { writes in
            try expectations.withUnsafeBufferPointer { expectations in
                try withUnsafePointer(to: origin) { origin in
                    var request = CommitRequest(writes, expectations, origin: origin)
                    request.isToBeSynced = isToBeSynced
                    return try body(request)
                }
            }
        }
    }
}
