public import LarderCore

extension DeviceStore {
    /// A number that changes with every commit, by whichever process.
    public var revision: UInt64 {
        get throws {
            try checkOpen()
            return try engine.enter { try Reading.currentNumber(&$0) }
        }
    }

    /// The entries whose key begins with exactly the bytes of `prefix`, sorted by key bytes.
    ///
    /// - Complexity: O(*n*) in the number of entries of the store, and sorting those found.
    public func entries(prefix: String) throws -> [StoreEntry] {
        try checkOpen()
        return try engine.enter { try Reading.entries(prefix: prefix, &$0) }
    }

    /// The keys that begin with exactly the bytes of `prefix`, sorted by their bytes.
    ///
    /// No value is read.
    ///
    /// - Parameter prefix: The empty text lists everything.
    /// - Returns: Whole keys, prefix included.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func keys(prefix: String = "") throws -> [String] {
        try checkOpen()
        return try engine.enter { try Reading.keys(prefix: prefix, &$0) }
    }

    /// How many keys begin with exactly the bytes of `prefix`.
    ///
    /// No value is read.
    ///
    /// - Parameter prefix: The empty text counts everything.
    /// - Returns: Zero or more.
    /// - Throws: ``StoreError`` when the store cannot be read.
    public func count(prefix: String = "") throws -> Int {
        try checkOpen()
        return try engine.enter { try Reading.count(prefix: prefix, &$0) }
    }
}
