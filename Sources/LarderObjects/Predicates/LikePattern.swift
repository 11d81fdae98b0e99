#if Objects
/// A string pattern in which `*` matches any number of characters, `?` matches one character, and `\` escapes the next character.
final class LikePattern: Sendable {
    private enum Part: Sendable {
        case any
        case one
        case character(Character)
    }

    private let parts: [Part]
    private let caseInsensitive: Bool
    /// The longest literal substring of the pattern.
    let longestText: String

    init(_ pattern: String, caseInsensitive: Bool) {
        self.caseInsensitive = caseInsensitive
        var parts: [Part] = []
        var (text, longest) = ("", "")
        var isEscaped = false
        for character in caseInsensitive ? pattern.caseFolded : pattern {
            switch character {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "*" where !isEscaped:
                parts.append(.any)
                text = ""
            case "?" where !isEscaped:
                parts.append(.one)
                text = ""
            default:
                parts.append(.character(character))
                text.append(character)
                if text.utf8.count > longest.utf8.count { longest = text }
            }
            isEscaped = false
        }
        if isEscaped { parts.append(.character("\\")) }
        self.parts = parts
        longestText = longest
    }

    func matches(_ text: String) -> Bool {
        let characters = Array(caseInsensitive ? text.caseFolded : text)
        var (place, part) = (0, 0)
        // After a mismatch, matching resumes at this position, with one more character for the last `*`.
        var retry: (place: Int, part: Int)?
        while place < characters.count {
            if part < parts.count {
                switch parts[part] {
                case .any:
                    retry = (place, part)
                    part += 1
                    continue
                case .one:
                    place += 1
                    part += 1
                    continue
                case .character(let character) where character == characters[place]:
                    place += 1
                    part += 1
                    continue
                case .character: break
                }
            }
            guard let last = retry else { return false }
            retry = (last.place + 1, last.part)
            place = last.place + 1
            part = last.part + 1
        }
        return parts[part...].allSatisfy { if case .any = $0 { true } else { false } }
    }
}

extension KeyPath where Root: Object, Value: TextProperty {
    /// Returns a filter that matches objects whose entire string matches a pattern, like `LIKE` in an `NSPredicate`.
    ///
    /// In the pattern, `*` matches any number of characters, `?` matches one character, and `\` escapes the next character.
    ///
    /// - Parameters:
    ///   - pattern: The pattern that the entire string must match.
    ///   - caseInsensitive: Whether to ignore case, like `LIKE[c]`.
    /// - Returns: The filter.
    public func like(_ pattern: String, caseInsensitive: Bool = false) -> Filter<Root> {
        let keyPath = SendableKeyPath(self).keyPath
        let compiled = LikePattern(pattern, caseInsensitive: caseInsensitive)
        return Filter(matches: { $0[keyPath: keyPath].filterText.map(compiled.matches) ?? false }) {
            translator,
            source in
            let text = try translator.value(of: try translator.keyPath(keyPath, of: source))
            let column = text.sql
            let flag = caseInsensitive ? "1" : "0"
            var sql = "larder_like(\(column), \(translator.bind(pattern.columnValue)), \(flag))"
            // Most strings are rejected by SQLite's byte search, which is much faster than comparing characters in Swift.
            if !caseInsensitive, !compiled.longestText.isEmpty {
                sql = "instr(\(column), \(translator.bind(compiled.longestText.columnValue))) > 0 AND " + sql
            }
            return .sql("(\(sql))", rows: text.rows)
        }
    }
}
#endif
