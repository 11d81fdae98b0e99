public import LarderCore

extension DeviceStore {
    /// A number that changes with every commit, including commits made by other processes.
    public var revision: UInt64 {
        get throws {
            try checkOpen()
            return try engine.enter { try Reading.currentNumber(&$0) }
        }
    }

    /// Returns the entries whose keys begin with `prefix`, sorted bytewise by key.
    ///
    /// The prefix is compared bytewise.
    ///
    /// - Complexity: O(*n*) in the number of entries of the store, plus sorting the result.
    public func entries(prefix: String) throws -> [StoreEntry] {
        try checkOpen()
        return try engine.enter { try Reading.entries(prefix: prefix, &$0) }
    }

    /// Returns the keys that begin with `prefix`, sorted bytewise, without reading their values.
    ///
    /// - Parameter prefix: The prefix of the keys to list, compared bytewise. The default, an empty string, matches all keys.
    /// - Returns: The full keys, including the prefix.
    /// - Throws: `StoreError` if the store cannot be read.
    public func keys(prefix: String = "") throws -> [String] {
        try checkOpen()
        return try engine.enter { try Reading.keys(prefix: prefix, &$0) }
    }

    /// Returns the number of keys that begin with `prefix`, without reading their values.
    ///
    /// - Parameter prefix: The prefix of the keys to count, compared bytewise. The default, an empty string, matches all keys.
    /// - Returns: The number of keys.
    /// - Throws: `StoreError` if the store cannot be read.
    public func count(prefix: String = "") throws -> Int {
        try checkOpen()
        return try engine.enter { try Paging.count(prefix: prefix, &$0) }
    }
}
