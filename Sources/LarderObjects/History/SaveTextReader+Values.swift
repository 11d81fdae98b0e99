#if Objects
internal import Foundation

extension SaveTextReader {
    /// Reads the old values, or the values of tombstones, of one entity.
    mutating func values(_ entity: String, _ kind: SavedChanges.Kind) throws -> [SavedChanges.Values] {
        var groups: [SavedChanges.Values] = []
        try object { reader, names in
            let columns = names.split(separator: ",").map(String.init)
            var rows: [SavedChanges.Values.Row] = []
            try reader.array { reader in
                var id: Int64?
                var values: [ColumnValue] = []
                try reader.array { reader in
                    if id == nil { id = try reader.integer() } else { values.append(try reader.value()) }
                }
                guard let id, values.count == columns.count else { throw reader.malformed }
                rows.append(.init(id: id, values: values))
            }
            groups.append(.init(entity: entity, kind: kind, columns: columns, rows: rows))
        }
        return groups
    }

    private mutating func value() throws -> ColumnValue {
        switch next {
        case UInt8(ascii: "\""): return .text(try string())
        case UInt8(ascii: "{"):
            var value: ColumnValue?
            try object { reader, name in
                let text = try reader.string()
                switch name {
                case "blob": value = Data(base64Encoded: text).map(ColumnValue.blob)
                case "real": value = Double(text).map(ColumnValue.real)
                default: break
                }
            }
            guard let value else { throw malformed }
            return value
        default:
            let word = scalar()
            if word == "null" { return .null }
            if let integer = Int64(word) { return .integer(integer) }
            // Double also reads words such as "nan".
            guard let last = word.utf8.last, Self.digits.contains(last), let real = Double(word) else {
                throw malformed
            }
            return .real(real)
        }
    }
}
#endif
