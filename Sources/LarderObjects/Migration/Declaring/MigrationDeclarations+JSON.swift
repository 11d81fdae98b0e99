#if Objects
internal import Foundation

// Keys without declarations are omitted from the JSON.

extension MigrationDeclarations: Codable {
    private enum CodingKeys: String, CodingKey { case entities, dropped }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        entities = try container.decodeIfPresent([String: EntityDeclarations].self, forKey: .entities) ?? [:]
        dropped = try container.decodeIfPresent([String].self, forKey: .dropped) ?? []
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !entities.isEmpty { try container.encode(entities, forKey: .entities) }
        if !dropped.isEmpty { try container.encode(dropped, forKey: .dropped) }
    }
}

extension EntityDeclarations: Codable {
    private enum CodingKeys: String, CodingKey { case dropping, keeping, attributes, relationships }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        dropping = try container.decodeIfPresent([String].self, forKey: .dropping) ?? []
        keeping = try container.decodeIfPresent(KeptObject.self, forKey: .keeping)
        attributes = try container.decodeIfPresent([String: AttributeDeclarations].self, forKey: .attributes) ?? [:]
        relationships =
            try container.decodeIfPresent([String: RelationshipDeclarations].self, forKey: .relationships) ?? [:]
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !dropping.isEmpty { try container.encode(dropping, forKey: .dropping) }
        try container.encodeIfPresent(keeping, forKey: .keeping)
        if !attributes.isEmpty { try container.encode(attributes, forKey: .attributes) }
        if !relationships.isEmpty { try container.encode(relationships, forKey: .relationships) }
    }
}

extension AttributeDeclarations: Codable {
    private enum CodingKeys: String, CodingKey { case initial, replacement, inexact, keeping }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        initial = try container.decodeIfPresent(DefaultValue.self, forKey: .initial)
        replacement = try container.decodeIfPresent(DefaultValue.self, forKey: .replacement)
        isInexact = try container.decodeIfPresent(Bool.self, forKey: .inexact) ?? false
        keeping = try container.decodeIfPresent(KeptObject.self, forKey: .keeping)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(initial, forKey: .initial)
        try container.encodeIfPresent(replacement, forKey: .replacement)
        if isInexact { try container.encode(true, forKey: .inexact) }
        try container.encodeIfPresent(keeping, forKey: .keeping)
    }
}

extension DefaultValue: Codable {
    private enum CodingKeys: String, CodingKey { case null, integer, real, text, blob, perRow, unstorable }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func fault(_ reason: String) -> DecodingError {
            DecodingError.dataCorrupted(.init(codingPath: container.codingPath, debugDescription: reason))
        }
        switch container.allKeys.first {
        case .null: self = .constant(.null)
        case .integer: self = .constant(.integer(try container.decode(Int64.self, forKey: .integer)))
        case .real:
            // The number is stored as a string, because JSON can't represent infinity.
            guard let number = Double(try container.decode(String.self, forKey: .real)), !number.isNaN else {
                throw fault("The default value must be a number, because its type is \"real\".")
            }
            self = .constant(.real(number))
        case .text: self = .constant(.text(try container.decode(String.self, forKey: .text)))
        case .blob: self = .constant(.blob(try container.decode(Data.self, forKey: .blob)))
        case .perRow: self = .perRow
        case .unstorable: self = .unstorable(try container.decode(String.self, forKey: .unstorable))
        case nil: throw fault("The default value has an unknown type. Update Larder.")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .constant(.null): try container.encode(true, forKey: .null)
        case .constant(.integer(let value)): try container.encode(value, forKey: .integer)
        case .constant(.real(let value)): try container.encode("\(value)", forKey: .real)
        case .constant(.text(let value)): try container.encode(value, forKey: .text)
        case .constant(.blob(let value)): try container.encode(value, forKey: .blob)
        case .perRow: try container.encode(true, forKey: .perRow)
        case .unstorable(let reason): try container.encode(reason, forKey: .unstorable)
        }
    }
}
#endif
