import Foundation
import LarderCore
import LarderStores

/// A namespace for functions that read and write store entries as JSON.
///
/// The input is either the output of `larder list --format json`, which represents every value exactly, or a single JSON object whose
/// members are the entries.
enum EntriesDocument {
    static func text(_ entries: [StoreEntry], _ progress: (StoreProgress) -> Void = { _ in }) -> String {
        let objects = entries.enumerated().map { number, entry in
            progress(StoreProgress(completed: number + 1, total: entries.count))
            return JSONWriter.object([("key", JSONWriter.string(entry.key)), ("value", JSONWriter.typed(entry.value))])
        }
        return objects.isEmpty ? "[]" : "[\n  " + objects.joined(separator: ",\n  ") + "\n]"
    }

    /// Reads entries from JSON into a memory store.
    ///
    /// - Throws: ``CommandFailure`` for the first invalid entry. Invalid entries are never skipped.
    static func store(_ text: String, name: String) throws -> MemoryStore {
        let root: StoredValue
        do {
            root = try JSONReader.value(text)
        } catch let error as JSONReader.Malformed {
            throw CommandFailure.storage(
                "The file \(name.debugDescription) is not valid JSON: \(error.reason) at byte \(error.offset). Fix the syntax at this position."
            )
        }
        var batch = StoreBatch()
        var seen: Set<StoreKey> = []
        for (key, value) in try entries(root, name: name) {
            guard seen.insert(StoreKey(key)).inserted else {
                throw CommandFailure.storage(
                    "The file \(name.debugDescription) has two values for the key \(key.debugDescription). Remove one of them."
                )
            }
            // Other programs write a plain null for a missing value.
            if value != .null { batch.set(value, for: StoreKey(key)) }
        }
        let store = MemoryStore(name: name)
        _ = try store.commit(batch)
        return store
    }

    private static func entries(_ root: StoredValue, name: String) throws -> [(String, StoredValue)] {
        switch root {
        case .dictionary(let entries): return entries.map { ($0.key, $0.value) }
        case .array(let elements):
            return try elements.enumerated().map { number, element in
                guard case .dictionary(let entry) = element, case .string(let key)? = entry["key"],
                    let value = entry["value"].flatMap(TypedJSON.value)
                else {
                    throw CommandFailure.storage(
                        #"Entry \#(number + 1) of the file \#(name.debugDescription) does not have the form {"key": K, "value": {"type": T, "value": V}}. Write the entry in this form."#
                    )
                }
                return (key, value)
            }
        default:
            throw CommandFailure.storage(
                "The file \(name.debugDescription) is neither a list of entries nor an object of values. Use the format that `larder list --format json` prints."
            )
        }
    }
}

enum TypedJSON {
    /// Returns the value that `json` describes, or `nil` if its form or type is not defined in `Documentation/Command.md`.
    static func value(_ json: StoredValue) -> StoredValue? {
        guard case .dictionary(let typed) = json, typed.count == 2, case .string(let type)? = typed["type"],
            let kind = StoredValue.Kind(rawValue: type), let content = typed["value"]
        else { return nil }
        switch (kind, content) {
        case (.bool, .bool), (.string, .string), (.null, .null): return content
        case (.int, .int): return content
        case (.unsigned, .unsigned): return content
        case (.float, _): return number(content).map { .float(Float($0)) }
        case (.double, _): return number(content).map { .double($0) }
        case (.url, .string(let text)): return .url(text)
        case (.date, .string(let text)): return DateText.date(text).map { .date($0) }
        case (.data, .string(let text)): return Data(base64Encoded: text).map { .data($0) }
        case (.array, .array(let elements)):
            let values = elements.compactMap(value)
            return values.count == elements.count ? .array(values) : nil
        case (.dictionary, .dictionary(let entries)):
            let values = entries.compactMap { entry in value(entry.value).map { (entry.key, $0) } }
            return values.count == entries.count ? .dictionary(StoredDictionary(values)) : nil
        default: return nil
        }
    }

    private static func number(_ json: StoredValue) -> Double? {
        switch json {
        case .double(let number): number
        case .int(let number): Double(number)
        case .unsigned(let number): Double(number)
        case .string(let text) where ["inf", "-inf", "nan"].contains(text): Double(text)
        default: nil
        }
    }
}
