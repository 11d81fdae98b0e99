#if Inspector
import LarderCore

/// How much of a value an answer contains.
struct ValueForm: Sendable {
    /// The maximum number of characters (Unicode scalars) of a string, of bytes of data, and of both together in an array or dictionary.
    var limit: Int
    /// Whether values whose names look like those of secrets are written.
    var reveals = false
    /// Whether the content of data is decoded, if its format is known.
    var previews = false
    /// The number of bytes of the longest property list that is searched for secrets.
    var longestList = 16_384
    /// Whether a property list that was not searched is masked.
    ///
    /// Otherwise, only its first bytes are written.
    var masksUnsearched = false

    /// The form in tables and events.
    static let cell = ValueForm(limit: 1_000)

    /// The form of one record, with each value up to 1 MB.
    static let record = ValueForm(limit: 1_000_000, previews: true, longestList: 1 << 24, masksUnsearched: true)

    /// The form in exports.
    static let whole = ValueForm(limit: .max, longestList: 1 << 24, masksUnsearched: true)
}

/// What has happened while a value was written.
private struct ValueWriting {
    /// The number of characters and bytes that may still be written.
    var room: Int
    /// Whether a part of the value was masked.
    var hasMasked = false

    /// Returns a text with the secrets of JSON masked.
    mutating func masking(_ text: String, _ form: ValueForm) -> String {
        guard !form.reveals, let masked = MaskedJSON.text(text) else { return text }
        hasMasked = true
        return masked
    }

    /// Returns bytes with the secrets of JSON masked.
    mutating func masking(_ bytes: [UInt8], _ form: ValueForm) -> [UInt8] {
        guard !form.reveals, let masked = MaskedJSON.bytes(bytes) else { return bytes }
        hasMasked = true
        return masked
    }
}

extension JSONText {
    /// Writes a value with its type, as `larder get --format json` does, but cut and masked.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - form: How much to write.
    ///   - isSecret: Whether the name of the value looks like that of a secret.
    ///   - size: The size in bytes before `value` was cut, or `nil` if it is whole.
    mutating func value(_ value: StoredValue, _ form: ValueForm, isSecret: Bool = false, size: Int? = nil) {
        var writing = ValueWriting(room: form.limit)
        self.value(value, form, isSecret: isSecret, size: size, &writing, isNested: false)
    }

    private mutating func value(
        _ value: StoredValue,
        _ form: ValueForm,
        isSecret: Bool,
        size: Int? = nil,
        _ writing: inout ValueWriting,
        isNested: Bool
    ) {
        // The names and quotation marks of a nested value need room too.
        if isNested { writing.room = max(0, writing.room - 8) }
        object { json in
            json.member("type", value.kind.rawValue)
            if isSecret, !form.reveals, value != .null {
                writing.hasMasked = true
                if let size = size ?? value.size { json.member("size", size) }
                return json.member("isMasked", true)
            }
            // Revealed values are decoded for the preview only.
            let listed: ListedContent =
                form.reveals && !form.previews
                ? .none : ListedContent(of: value, isCut: size != nil, upTo: form.longestList)
            if !form.reveals, json.withhold(value, listed, form, size, &writing, isNested: isNested) { return }
            let isCut = json.content(value, form, &writing)
            if isCut || size != nil {
                if let size = size ?? value.size { json.member("size", size) }
                json.member("isCut", true)
            }
            if isNested { return }
            if form.previews, size == nil, case .data(let data) = value {
                switch listed {
                case .list(let root, let hasSecrets):
                    if data.count <= form.limit { json.preview(ofList: root, hasSecrets: hasSecrets, form) }
                case .none, .unsearched: json.preview(of: [UInt8](data))
                }
            }
            if writing.hasMasked { json.member("hasMasked", true) }
        }
    }

    /// Writes a property list that is not shown as it is, and returns whether it is one.
    ///
    /// Its bytes would contain the secrets that are masked in its content.
    private mutating func withhold(
        _ value: StoredValue,
        _ listed: ListedContent,
        _ form: ValueForm,
        _ size: Int?,
        _ writing: inout ValueWriting,
        isNested: Bool
    ) -> Bool {
        switch listed {
        case .none, .list(root: _, hasSecrets: false): return false
        case .unsearched where !form.masksUnsearched:
            _ = content(value.heading, form, &writing)
            if let size = size ?? value.size { member("size", size) }
            member("isCut", true)
        case .list, .unsearched:
            writing.hasMasked = true
            let bytes = size ?? value.size ?? 0
            member("size", bytes)
            member("isMasked", true)
            guard form.previews, !isNested, case .data = value, case .list(let root, _) = listed else { return true }
            if bytes <= form.limit { preview(ofList: root, hasSecrets: true, form) }
        }
        return true
    }

    /// Writes the member `value`, and returns whether it is only the beginning of the value.
    private mutating func content(_ value: StoredValue, _ form: ValueForm, _ writing: inout ValueWriting) -> Bool {
        name("value")
        switch value {
        case .null:
            null()
        case .bool(let value):
            bool(value)
        case .int(let number):
            self.number(number)
            if number.magnitude > Self.exactlyRepresented { member("text", String(number)) }
        case .unsigned(let number):
            self.number(number)
            if number > Self.exactlyRepresented { member("text", String(number)) }
        // The description is the shortest text that is read as the same number, and a JSON number if the number is finite.
        case .float(let number): number.isFinite ? raw(value.description) : string(value.description)
        case .double(let number): number.isFinite ? raw(value.description) : string(value.description)
        // Dates far away are seconds after "@".
        case .date: string(value.description.trimmingPrefix("@"))
        case .string(let text): return self.text(writing.masking(text, form), &writing.room)
        case .url(let text): return self.text(text, &writing.room)
        case .data(let data):
            let beginning = [UInt8](data.prefix(writing.room))
            let bytes = writing.masking(beginning, form)
            writing.room -= beginning.count
            string(Base64.text(bytes))
            return beginning.count < data.count
        case .array(let elements):
            var isCut = false
            array { json in
                for element in elements {
                    guard writing.room > 0 else { return isCut = true }
                    json.value(element, form, isSecret: false, &writing, isNested: true)
                }
            }
            return isCut
        case .dictionary(let entries):
            var isCut = false
            object { json in
                for entry in entries {
                    // A cut name would be another name, so an entry whose name has no room is omitted.
                    let length = entry.key.unicodeScalars.prefix(writing.room.saturatingNext).count
                    guard writing.room > 0, length <= writing.room else { return isCut = true }
                    writing.room -= length
                    json.name(entry.key)
                    json.value(entry.value, form, isSecret: SecretName.isSecret(entry.key), &writing, isNested: true)
                }
            }
            return isCut
        }
        return false
    }

    private mutating func text(_ text: String, _ room: inout Int) -> Bool {
        let scalars = text.unicodeScalars
        // A string has at most one scalar for each byte.
        guard text.utf8.count > room,
            let end = scalars.index(scalars.startIndex, offsetBy: room, limitedBy: scalars.endIndex),
            end < scalars.endIndex
        else {
            room -= min(room, text.utf8.count)
            string(text)
            return false
        }
        room = 0
        string(text[..<end])
        return true
    }

    /// The largest integer up to which the numbers of JavaScript represent every integer.
    private static let exactlyRepresented: UInt64 = 1 << 53 - 1
}

extension Int {
    fileprivate var saturatingNext: Int { self == .max ? self : self + 1 }
}

extension StoredValue {
    /// The bytes of a string or of data, or the elements of an array or dictionary.
    var size: Int? {
        switch self {
        case .string(let text), .url(let text): text.utf8.count
        case .data(let data): data.count
        case .array(let elements): elements.count
        case .dictionary(let entries): entries.count
        case .bool, .int, .unsigned, .float, .double, .date, .null: nil
        }
    }
}
#endif
