import Foundation
import LarderCore

/// A wrapper that accesses a store for callers that can't throw errors, and reports each failed operation as an issue.
///
/// A failed operation does not change the store.
struct ReportingStore: Sendable {
    let store: any KeyValueStore

    /// Returns the value under a key, or `nil` if there is no value or the value can't be read.
    func value(forKey key: String) -> StoredValue? {
        do {
            return try store.get(key)
        } catch {
            report(
                .readFailed,
                "The value under \(key.debugDescription) could not be read. Resolve the underlying error, then read the value again.",
                key,
                error
            )
            return nil
        }
    }

    /// Returns all entries, or an empty dictionary if the store can't be read.
    func entries() -> StoredDictionary {
        do {
            return StoredDictionary(try store.entries().lazy.map { ($0.key, $0.value) })
        } catch {
            report(
                .readFailed,
                "The store's entries could not be read. Resolve the underlying error, then read the entries again.",
                nil,
                error
            )
            return [:]
        }
    }

    /// Writes a value, or removes the stored value if `value` is `nil`.
    func write(_ value: StoredValue?, forKey key: String) {
        attempt(writing: key) {
            if let value { try store.set(value, for: key) } else { try store.remove(key) }
        }
    }

    /// Writes an object as a stored value, or removes the stored value if `object` is an optional that contains `nil`.
    func write(object: Any, forKey key: String) {
        attempt(writing: key) {
            let value = try StoredValue(object: object)
            // An empty optional is not a value. `NSNull` is a value, although stores accept it only inside arrays and dictionaries.
            if case .null = value, !(object is NSNull) { try store.remove(key) } else { try store.set(value, for: key) }
        }
    }

    /// Replaces all entries of the store in one transaction.
    func replaceAll(by entries: StoredDictionary, domain: String) {
        attempt(writing: domain) {
            try store.transaction { transaction in
                for entry in try transaction.entries() { try transaction.remove(StoreKey(entry.key)) }
                for entry in entries { try transaction.set(entry.value, for: StoreKey(entry.key)) }
            }
        }
    }

    /// Makes all writes as durable as the store supports, or reports an issue and returns `false` if a sync fails.
    func flush() -> Bool {
        do {
            try store.flush()
            return true
        } catch {
            report(
                .writeFailed,
                "Recent writes could not be synced to disk and may be lost. Resolve the underlying error, then call `synchronize()` again.",
                nil,
                error
            )
            return false
        }
    }

    /// Converts objects to stored values.
    ///
    /// Objects that have no stored form are skipped and reported as issues.
    func storedValues(of objects: [String: Any]) -> StoredDictionary {
        var converted = StoredDictionary()
        for (key, object) in objects {
            attempt(writing: key) { converted[key] = try StoredValue(object: object) }
        }
        return converted
    }

    private func attempt(writing key: String, _ body: () throws -> Void) {
        do {
            try body()
        } catch {
            let isUnsupported = (error as? StoreError)?.code == .unsupportedValue
            report(
                isUnsupported ? .unsupportedValue : .writeFailed,
                "The value for \(key.debugDescription) was not written; any previous value is kept. Resolve the underlying error, then write the value again.",
                key,
                error
            )
        }
    }

    private func report(_ code: LarderIssue.Code, _ message: String, _ key: String?, _ error: any Error) {
        store.issues.report(LarderIssue(code, message, key: key, underlying: error))
    }
}
