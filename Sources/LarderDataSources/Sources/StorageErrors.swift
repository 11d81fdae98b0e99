import LarderCore

// What the storages answer alike.
extension CoreError.IllegalArgument {
    static var nilValue: Self { Self("A storage can't put nil: use `delete` to remove a value.") }

    static func count(of values: Int, keys: Int) -> Self {
        Self("There are \(values) values for \(keys) identifiers: give each identifier one value.")
    }
}

extension CoreError.NotFound {
    /// What a key holds is not of the shape asked for, or there is nothing.
    static func shape(_ asked: Any.Type, key: String, isThere: Bool) -> Self {
        Self(isThere ? .otherShape(asked: "\(asked)") : .absent, key: key)
    }
}

extension CoreError.QueryNotSupported {
    static var putEverywhere: Self {
        Self("A list can't be put under \"all objects\": put it under a key, or its values under an IdsQuery.")
    }

    static var everythingWithoutPrefix: Self {
        Self("A source without a prefix can't tell its keys from those of others: give it a prefix or name the keys.")
    }

    static func query(_ query: any Query, by source: Any.Type) -> Self {
        Self("\(source) does not take a \(type(of: query)).")
    }
}

extension CoreError.Failed {
    /// An `update` whose key was written each time that its closure ran.
    static func overtaken(_ key: String, times: Int) -> Self {
        Self(
            "Cannot update \(key.debugDescription): it was written each of the \(times) times that the closure ran. Nothing was changed; let the closure change the value it is given, and write nothing under this key."
        )
    }
}
