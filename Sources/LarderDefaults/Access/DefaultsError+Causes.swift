import LarderCore

extension DefaultsError {
    static func absent(_ key: String) -> DefaultsError {
        DefaultsError(.absent, "Nothing is stored under \(key.debugDescription).", key: key)
    }

    static func newer(_ key: String, stored: Int, known: Int) -> DefaultsError {
        DefaultsError(
            .newerVersion,
            "What is stored under \(key.debugDescription) has version \(stored), and this program knows \(known): use a newer version of it.",
            key: key
        )
    }

    static func rejected(_ key: String, reason: String) -> DefaultsError {
        DefaultsError(.rejected, "The value for \(key.debugDescription) was refused: \(reason).", key: key)
    }

    static func notEncodable(_ key: String, _ type: Any.Type, _ error: any Error) -> DefaultsError {
        DefaultsError(
            .notEncodable,
            "The \(type) for \(key.debugDescription) can't be stored; the earlier value is still there.",
            key: key,
            underlying: error
        )
    }

    static func nestedWrite(_ key: String) -> DefaultsError {
        DefaultsError(
            .nestedWrite,
            "A transaction that uses \(key.debugDescription) writes it once more, past the transaction; nothing was written. Write it through the closure's argument.",
            key: key
        )
    }

    static func overflow(_ key: String, _ type: Any.Type) -> DefaultsError {
        DefaultsError(
            .overflow,
            "The number under \(key.debugDescription) can't be changed by that much: it would not fit \(type). The earlier value is still there.",
            key: key
        )
    }

    /// What a failed decoding is to the caller.
    static func reading(_ key: String, as type: Any.Type, _ error: any Error) -> any Error {
        switch error {
        case is StoreError, is DefaultsError: error
        case let error as CoreError.NotFound where error.reason != .absent:
            DefaultsError(
                .wrongType,
                "What is stored under \(key.debugDescription) is no \(type): declare the key with the stored type.",
                key: key,
                underlying: error
            )
        default:
            DefaultsError(
                .undecodable,
                "What is stored under \(key.debugDescription) can't be read as \(type) and was left as it is.",
                key: key,
                underlying: error
            )
        }
    }
}
