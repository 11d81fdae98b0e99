public import LarderCore

extension LarderIssue {
    static func lossy(_ stored: StoredValue, as type: Any.Type, key: String?) -> LarderIssue {
        let place = key.map { " under \($0.debugDescription)" } ?? ""
        return LarderIssue(
            .lossyConversion,
            "The \(stored.kind.rawValue)\(place) was read as \(type) and lost part of its value: declare the key with the stored type.",
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
        // Which says no more than the issue does.
        let wrapper = (error as? DefaultsError).flatMap { $0.code == .notEncodable ? $0 : nil }
        let error = wrapper?.underlying ?? error
        return LarderIssue(
            isRefusal(error) ? .writeFailed : .unsupportedValue,
            "The \(type) for \(key.debugDescription) was not stored; the earlier value is still there.",
            key: key,
            underlying: error
        )
    }

    /// A change in place that was dropped, because the key was written while it ran.
    static func lostUpdate(_ key: String, _ value: Any) -> LarderIssue {
        LarderIssue(
            .lostUpdate,
            "The change of \(key.debugDescription) in place to \(excerpt(of: value)) was dropped: another write came first, and its value stands. Use `modify` for a change that must not be lost.",
            key: key
        )
    }

    /// A value for a message, of limited length.
    private static func excerpt(of value: Any) -> String {
        let text = "\(value)"
        guard text.utf8.count > 200 else { return text }
        return "\(String(text.unicodeScalars.prefix(100)))… (\(text.utf8.count) bytes)"
    }

    static func unobserved(_ key: String?, _ error: any Error) -> LarderIssue {
        LarderIssue(
            .readFailed,
            "An observer could not read what is stored and may have missed a change: read again what matters.",
            key: key,
            underlying: error
        )
    }

    /// Whether the value could be stored, and the store or the state of the key forbids it.
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
    /// A change in place was dropped, because the key was written while it ran; the value of that write stands.
    public static let lostUpdate = LarderIssue.Code("lostUpdate")
}
