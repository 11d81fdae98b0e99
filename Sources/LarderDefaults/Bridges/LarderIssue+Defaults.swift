import LarderCore

extension LarderIssue {
    static func lossy(_ stored: StoredValue, as type: Any.Type, key: String) -> LarderIssue {
        LarderIssue(
            .lossyConversion,
            "The \(stored.kind.rawValue) under \(key.debugDescription) was read as \(type) and lost part of its value: declare the key with the stored type.",
            key: key
        )
    }

    static func unreadable(_ key: String, as type: Any.Type, _ error: any Error) -> LarderIssue {
        LarderIssue(
            isNotConvertible(error) ? .notConvertible : .readFailed,
            "What is stored under \(key.debugDescription) can't be read as \(type) and was left as it is.",
            key: key,
            underlying: error
        )
    }

    static func unwritable(_ key: String, _ type: Any.Type, _ error: any Error) -> LarderIssue {
        LarderIssue(
            error is StoreError || (error as? DefaultsError)?.code == .newerVersion ? .writeFailed : .unsupportedValue,
            "The \(type) for \(key.debugDescription) was not stored; the earlier value is still there.",
            key: key,
            underlying: error
        )
    }

    static func unobserved(_ key: String?, _ error: any Error) -> LarderIssue {
        LarderIssue(
            .readFailed,
            "An observer could not read what is stored and may have missed a change: read again what matters.",
            key: key,
            underlying: error
        )
    }

    private static func isNotConvertible(_ error: any Error) -> Bool {
        error is CoreError.NotFound || (error as? DefaultsError)?.code == .wrongType
    }
}
