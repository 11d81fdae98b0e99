import Foundation
import LarderCore

/// A store for calls that cannot throw: what it would throw goes to its issues, and nothing is changed then.
struct ReportingStore: Sendable {
    let store: any KeyValueStore

    /// The value under `key`; `nil` also when it cannot be read.
    func value(forKey key: String) -> StoredValue? {
        do {
            return try store.get(key)
        } catch {
            report(
                .readFailed,
                "The value under \(key.debugDescription) could not be read: see the error beneath.",
                key,
                error
            )
            return nil
        }
    }

    /// Every entry; none when the store cannot be read.
    func entries() -> StoredDictionary {
        do {
            return StoredDictionary(try store.entries().lazy.map { ($0.key, $0.value) })
        } catch {
            report(.readFailed, "The store could not be listed: see the error beneath.", nil, error)
            return [:]
        }
    }

    /// Keeps a value, or removes the one that is there.
    func write(_ value: StoredValue?, forKey key: String) {
        attempt(writing: key) {
            if let value { try store.set(value, for: key) } else { try store.remove(key) }
        }
    }

    /// Keeps what `object` is as a stored value; an optional without a value removes what is there.
    func write(object: Any, forKey key: String) {
        attempt(writing: key) {
            let value = try StoredValue(object: object)
            // `NSNull` is a value, though one that no store takes at its top level; an optional without one is no value.
            if case .null = value, !(object is NSNull) { try store.remove(key) } else { try store.set(value, for: key) }
        }
    }

    /// Makes the entries of the store exactly these, in one transaction.
    func replaceAll(by entries: StoredDictionary, domain: String) {
        attempt(writing: domain) {
            try store.transaction { transaction in
                for entry in try transaction.entries() { try transaction.remove(StoreKey(entry.key)) }
                for entry in entries { try transaction.set(entry.value, for: StoreKey(entry.key)) }
            }
        }
    }

    /// Makes everything so far durable; `false` when the medium did not confirm.
    func flush() -> Bool {
        do {
            try store.flush()
            return true
        } catch {
            report(
                .writeFailed,
                "What was set could not be confirmed on the disk: see the error beneath.",
                nil,
                error
            )
            return false
        }
    }

    /// The values that have a stored form; the others are reported.
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
                "The value for \(key.debugDescription) was not stored, an earlier one is still there: see the error beneath.",
                key,
                error
            )
        }
    }

    private func report(_ code: LarderIssue.Code, _ message: String, _ key: String?, _ error: any Error) {
        store.issues.report(LarderIssue(code, message, key: key, underlying: error))
    }
}
