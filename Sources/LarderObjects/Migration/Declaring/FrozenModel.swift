#if Objects
public import Foundation

/// A snapshot of one version of a model: its schema and migration declarations.
///
/// ``ObjectModel/freeze(in:)`` writes a frozen model to a JSON file in the program's repository. The file preserves the names and types of
/// this version even after the classes are changed or removed.
public struct FrozenModel: Sendable, Hashable, Codable {
    /// The version of the JSON file format that this version of Larder reads and writes.
    static let format = 1

    /// The version of the model.
    public let version: Int
    /// A hash of the schema, as 16 hexadecimal digits.
    ///
    /// A database that uses this version of the model stores the same hash.
    public let fingerprint: String
    let schema: SchemaDescription
    let declarations: MigrationDeclarations

    private enum CodingKeys: String, CodingKey { case declarations, entities, fingerprint, format, version }

    init(version: Int, schema: SchemaDescription, declarations: MigrationDeclarations) throws {
        self.version = version
        self.schema = schema
        self.declarations = declarations
        fingerprint = try schema.fingerprint()
    }

    /// Reads a frozen model from a file.
    ///
    /// - Parameter url: The URL of the JSON file.
    /// - Throws: ``ObjectError`` with code `invalidModel` if the file is not a frozen model, was edited, or was written by a newer version
    ///   of Larder. Otherwise, any error that occurs while reading the file.
    public init(contentsOf url: URL) throws {
        let data = try Data(contentsOf: url)
        do { self = try JSONDecoder().decode(FrozenModel.self, from: data) } catch {
            throw Self.unreadable(error, path: url.path)
        }
    }

    /// Reads a frozen model from the contents of its JSON file.
    ///
    /// - Parameter json: The file's bytes, for example from a resource embedded in the program.
    /// - Throws: ``ObjectError`` with code `invalidModel` if the bytes are not a frozen model, were edited, or were written by a newer
    ///   version of Larder.
    public init(json: some Sequence<UInt8>) throws {
        do { self = try JSONDecoder().decode(FrozenModel.self, from: Data(json)) } catch {
            throw Self.unreadable(error, path: nil)
        }
    }

    private static func unreadable(_ error: any Error, path: String?) -> ObjectError {
        ObjectError(
            .invalidModel,
            "The frozen model can't be read. Restore its file from the repository, or freeze the version again.",
            path: path,
            underlying: error
        )
    }

    /// Decodes a frozen model.
    ///
    /// - Parameter decoder: The decoder to read from.
    /// - Throws: `DecodingError` if the format is newer than this version of Larder, or if the fingerprint does not match the entities.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let format = try container.decode(Int.self, forKey: .format)
        guard format <= Self.format else {
            throw DecodingError.dataCorruptedError(
                forKey: .format,
                in: container,
                debugDescription:
                    "The frozen model has format \(format), but this program reads format \(Self.format). Update the program."
            )
        }
        try self.init(
            version: container.decode(Int.self, forKey: .version),
            schema: SchemaDescription(entities: container.decode([SchemaDescription.Entity].self, forKey: .entities)),
            declarations: container.decodeIfPresent(MigrationDeclarations.self, forKey: .declarations)
                ?? MigrationDeclarations()
        )
        guard try container.decode(String.self, forKey: .fingerprint) == fingerprint else {
            throw DecodingError.dataCorruptedError(
                forKey: .fingerprint,
                in: container,
                debugDescription:
                    "The frozen model was edited: its entities do not match the fingerprint \(fingerprint). Restore the file."
            )
        }
    }

    /// Encodes the frozen model.
    ///
    /// - Parameter encoder: The encoder to write to.
    /// - Throws: The error that the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        if !declarations.isEmpty { try container.encode(declarations, forKey: .declarations) }
        try container.encode(schema.entities, forKey: .entities)
        try container.encode(fingerprint, forKey: .fingerprint)
        try container.encode(Self.format, forKey: .format)
        try container.encode(version, forKey: .version)
    }

    /// Returns the contents of the model's JSON file.
    ///
    /// The keys are sorted, so that two versions of the file can be compared line by line.
    func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(self) + Data("\n".utf8)
    }
}

extension FrozenModel {
    /// The schema and the migration declarations in the JSON form that a database stores.
    private struct Description: Codable {
        var declarations: MigrationDeclarations?
        var entities: [SchemaDescription.Entity]
    }

    /// Returns the JSON string that a database stores, with the schema and the migration declarations.
    func descriptionText() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let description = Description(
            declarations: declarations.isEmpty ? nil : declarations,
            entities: schema.entities
        )
        return String(decoding: try encoder.encode(description), as: UTF8.self)
    }

    /// Creates a frozen model from the JSON string that a database stores.
    ///
    /// The string omits the declarations if the model has none.
    init(version: Int, descriptionText: String) throws {
        let description = try JSONDecoder().decode(Description.self, from: Data(descriptionText.utf8))
        try self.init(
            version: version,
            schema: SchemaDescription(entities: description.entities),
            declarations: description.declarations ?? MigrationDeclarations()
        )
    }
}
#endif
