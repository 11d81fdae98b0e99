public import LarderCore

extension LarderIssue {
    static func lossy(_ stored: StoredValue, as type: Any.Type, key: String?) -> LarderIssue {
        let place = key.map { " under \($0.debugDescription)" } ?? ""
        return LarderIssue(
            .lossyConversion,
            "The \(stored.kind.rawValue)\(place) lost information when it was converted to \(type). Declare the key with the type of the stored value.",
            key: key
        )
    }

    static func unreadable(_ key: String, as type: Any.Type, _ error: any Error) -> LarderIssue {
        LarderIssue(
            isNotConvertible(error) ? .notConvertible : .readFailed,
            "The value under \(key.debugDescription) can't be read as \(type) and is unchanged. Resolve the underlying error, or write a new value.",
            key: key,
            underlying: error
        )
    }

    static func unwritable(_ key: String, _ type: Any.Type, _ error: any Error) -> LarderIssue {
        // Unwraps the error, because its message would repeat the issue's message.
        let wrapper = (error as? DefaultsError).flatMap { $0.code == .notEncodable ? $0 : nil }
        let error = wrapper?.underlying ?? error
        return LarderIssue(
            isRefusal(error) ? .writeFailed : .unsupportedValue,
            "The value of type \(type) for the key \(key.debugDescription) was not written, so the previous value is unchanged. Resolve the underlying error, then write the value again.",
            key: key,
            underlying: error
        )
    }

    /// Creates the issue for an in-place change that was dropped because the key was written concurrently.
    static func lostUpdate(_ key: String, _ value: Any) -> LarderIssue {
        LarderIssue(
            .lostUpdate,
            "The in-place change of \(key.debugDescription) to \(excerpt(of: value)) was dropped because the key was written in the meantime. Use `modify` for a change that must not be lost.",
            key: key
        )
    }

    /// Returns a description of a value, shortened for use in a message.
    private static func excerpt(of value: Any) -> String {
        let text = "\(value)"
        guard text.utf8.count > 200 else { return text }
        return "\(String(text.unicodeScalars.prefix(100)))… (\(text.utf8.count) bytes)"
    }

    static func unobserved(_ key: String?, _ error: any Error) -> LarderIssue {
        LarderIssue(
            .readFailed,
            "An observer could not read the store and may have missed a change. Read the observed values again.",
            key: key,
            underlying: error
        )
    }

    /// Returns whether a write failed because of the store or the state of the key, rather than because of the value.
    private static func isRefusal(_ error: any Error) -> Bool {
        if let error = error as? StoreError { return error.code != .unsupportedValue }
        if error is CancellationError { return true }
        return [.newerVersion, .nestedWrite].contains((error as? DefaultsError)?.code)
    }

    private static func isNotConvertible(_ error: any Error) -> Bool {
        error is CoreError.NotFound || (error as? DefaultsError)?.code == .wrongType
    }
}

extension LarderIssue.Code {
    /// An in-place change was dropped because the key was written in the meantime.
    ///
    /// The value stored under the key is kept.
    public static let lostUpdate = LarderIssue.Code("lostUpdate")
}
