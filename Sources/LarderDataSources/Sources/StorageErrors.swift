import LarderCore

// Errors that several data sources throw.
extension CoreError.IllegalArgument {
    static var nilValue: Self { Self("The value can't be written because it is nil. Use `delete` to remove a value.") }

    static func count(of values: Int, keys: Int) -> Self {
        Self("The number of values (\(values)) differs from the number of keys (\(keys)). Pass one value for each key.")
    }
}

extension CoreError.NotFound {
    /// Returns the error for a key that has no value, or that has a list instead of a single value or a single value instead of a list.
    static func shape(_ asked: Any.Type, key: String, isThere: Bool) -> Self {
        Self(isThere ? .otherShape(asked: "\(asked)") : .absent, key: key)
    }
}

extension CoreError.QueryNotSupported {
    static var putEverywhere: Self {
        Self(
            "A list can't be written with `AllObjectsQuery`. Write the list under a key, or write its values with an `IdsQuery`."
        )
    }

    static var everythingWithoutPrefix: Self {
        Self(
            "A source without a prefix does not support `AllObjectsQuery`. Give the source a prefix, or query specific keys."
        )
    }

    static func query(_ query: any Query, by source: Any.Type) -> Self {
        Self("\(source) does not support \(type(of: query)). Use a query type that the source supports.")
    }
}

extension CoreError.Failed {
    /// Returns the error for an `update` that conflicted with other writes on every attempt.
    static func overtaken(_ key: String, times: Int) -> Self {
        Self(
            "Nothing was changed because \(counted(times, "attempt")) to update \(key.debugDescription) conflicted with other writes. Make sure that the closure does not write this key, and try again."
        )
    }
}
