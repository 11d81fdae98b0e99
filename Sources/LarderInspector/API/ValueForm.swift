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

    /// The form in tables and events.
    static let cell = ValueForm(limit: 1_000)

    /// The form of one record, with each value up to 1 MB.
    static func record(reveals: Bool) -> ValueForm { ValueForm(limit: 1_000_000, reveals: reveals, previews: true) }

    /// The form in exports.
    static func whole(reveals: Bool) -> ValueForm { ValueForm(limit: .max, reveals: reveals) }
}

extension JSONText {
    /// Writes a value with its type, as `larder get --format json` does, but cut and masked.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - form: How much to write.
    ///   - isSecret: Whether the name of the value looks like that of a secret.
    mutating func value(_ value: StoredValue, _ form: ValueForm, isSecret: Bool = false) {
        var room = form.limit
        self.value(value, form, isSecret: isSecret, &room, isNested: false)
    }

    private mutating func value(
        _ value: StoredValue,
        _ form: ValueForm,
        isSecret: Bool,
        _ room: inout Int,
        isNested: Bool
    ) {
        // The names and quotation marks of a nested value need room too.
        if isNested { room = max(0, room - 8) }
        object { json in
            json.member("type", value.kind.rawValue)
            if isSecret, !form.reveals, value != .null {
                if let size = value.size { json.member("size", size) }
                return json.member("isMasked", true)
            }
            let isCut = json.content(value, form, &room)
            if isCut {
                if let size = value.size { json.member("size", size) }
                json.member("isCut", true)
            }
            if form.previews, !isNested, case .data(let data) = value { json.preview(of: [UInt8](data), form) }
        }
    }

    /// Writes the member `value`, and returns whether it is only the beginning of the value.
    private mutating func content(_ value: StoredValue, _ form: ValueForm, _ room: inout Int) -> Bool {
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
        case .string(let text): return self.text(text, &room)
        case .url(let text): return self.text(text, &room)
        case .data(let data):
            let count = min(data.count, room)
            room -= count
            string(Base64.text([UInt8](data.prefix(count))))
            return count < data.count
        case .array(let elements):
            var isCut = false
            array { json in
                for element in elements {
                    guard room > 0 else { return isCut = true }
                    json.value(element, form, isSecret: false, &room, isNested: true)
                }
            }
            return isCut
        case .dictionary(let entries):
            var isCut = false
            object { json in
                for entry in entries {
                    // A cut name would be another name, so an entry whose name has no room is omitted.
                    let length = entry.key.unicodeScalars.prefix(room.saturatingNext).count
                    guard room > 0, length <= room else { return isCut = true }
                    room -= length
                    json.name(entry.key)
                    json.value(entry.value, form, isSecret: SecretName.isSecret(entry.key), &room, isNested: true)
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
