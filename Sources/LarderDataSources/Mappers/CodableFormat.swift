public import Foundation
import LarderCore

/// How `Codable` values become bytes.
public struct CodableFormat: Sendable {
    private let encoder: @Sendable (any Encodable) throws -> Data
    private let decoder: @Sendable (any Decodable.Type, Data) throws -> any Decodable

    /// JSON, by Foundation's coders with their default settings.
    public static let json = json(encoder: JSONEncoder(), decoder: JSONDecoder())

    /// A property list in XML.
    public static let propertyList = CodableFormat(
        encode: { value in
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .xml
            return try encoder.encode(value)
        },
        decode: { type, data in try PropertyListDecoder().decode(type, from: data) }
    )

    /// JSON with coders of your own.
    ///
    /// - Parameters:
    ///   - encoder: Not to be changed any more.
    ///   - decoder: Not to be changed any more.
    /// - Returns: The format.
    public static func json(encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()) -> CodableFormat
    {
        CodableFormat(
            encode: { try encoder.encode($0) },
            decode: { type, data in try decoder.decode(type, from: data) }
        )
    }

    /// A format of your own.
    ///
    /// - Parameters:
    ///   - encode: Turns a value into bytes.
    ///   - decode: Turns bytes into a value of the type given.
    public init(
        encode: @escaping @Sendable (any Encodable) throws -> Data,
        decode: @escaping @Sendable (any Decodable.Type, Data) throws -> any Decodable
    ) {
        encoder = encode
        decoder = decode
    }

    func data(of value: some Encodable) throws -> Data {
        do { return try encoder(value) } catch {
            throw CoreError.DataSerialization("A \(type(of: value)) could not be encoded.", underlying: error)
        }
    }

    func value<T: Decodable>(_ type: T.Type, of data: Data) throws -> T {
        let decoded: any Decodable
        do { decoded = try decoder(type, data) } catch {
            throw CoreError.DataSerialization("\(data.count) bytes could not be decoded as \(type).", underlying: error)
        }
        guard let value = decoded as? T else {
            throw CoreError.DataSerialization("\(data.count) bytes were decoded as something else than \(type).")
        }
        return value
    }
}
