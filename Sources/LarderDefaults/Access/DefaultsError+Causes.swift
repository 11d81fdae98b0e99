import LarderCore

extension DefaultsError {
    static func absent(_ key: String) -> DefaultsError {
        DefaultsError(
            .absent,
            "Nothing is stored under \(key.debugDescription). Use a subscript to read the key's default instead.",
            key: key
        )
    }

    static func newer(_ key: String, stored: Int, known: Int) -> DefaultsError {
        DefaultsError(
            .newerVersion,
            "The value under \(key.debugDescription) has version \(stored), but this program reads only versions up to \(known). Use a newer version of the program.",
            key: key
        )
    }

    static func rejected(_ key: String, reason: String) -> DefaultsError {
        DefaultsError(
            .rejected,
            "The value for \(key.debugDescription) was rejected: \(reason). Write a value that the key's validation accepts.",
            key: key
        )
    }

    static func notEncodable(_ key: String, _ type: Any.Type, _ error: any Error) -> DefaultsError {
        DefaultsError(
            .notEncodable,
            "The value of type \(type) for the key \(key.debugDescription) can't be encoded, so the previous value is kept. Correct the value or the bridge for its type.",
            key: key,
            underlying: error
        )
    }

    static func nestedWrite(_ key: String) -> DefaultsError {
        DefaultsError(
            .nestedWrite,
            "A transaction's closure wrote the key \(key.debugDescription) without using its argument, so nothing was written. Write the key through the closure's argument.",
            key: key
        )
    }

    static func overflow(_ key: String, _ type: Any.Type) -> DefaultsError {
        DefaultsError(
            .overflow,
            "Incrementing the value under \(key.debugDescription) would overflow \(type), so the value is unchanged. Add a smaller amount, or declare the key with a wider type.",
            key: key
        )
    }

    /// Returns the error for a stored value that can't be decoded as `type`.
    static func reading(_ key: String, as type: Any.Type, _ error: any Error) -> any Error {
        switch error {
        case is StoreError, is DefaultsError: error
        case let error as CoreError.NotFound where error.reason != .absent:
            DefaultsError(
                .wrongType,
                "The value under \(key.debugDescription) can't be converted to \(type). Declare the key with the type of the stored value.",
                key: key,
                underlying: error
            )
        default:
            DefaultsError(
                .undecodable,
                "The value under \(key.debugDescription) can't be decoded as \(type) and is unchanged. Declare the key with the type of the stored value, or write a new value.",
                key: key,
                underlying: error
            )
        }
    }
}
