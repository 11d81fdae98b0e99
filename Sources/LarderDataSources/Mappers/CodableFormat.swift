public import Foundation
import LarderCore
import LarderFiles

/// A format that encodes `Codable` values as bytes and decodes them.
public struct CodableFormat: Sendable {
    private let encoder: @Sendable (any Encodable) throws -> Data
    private let decoder: @Sendable (any Decodable.Type, Data) throws -> any Decodable

    /// The JSON format, with Foundation's default coders.
    public static let json = json(encoder: JSONEncoder(), decoder: JSONDecoder())

    /// The XML property list format.
    public static let propertyList = CodableFormat(
        encode: { try PropertyListCoding.encode($0, as: .xml) },
        decode: { type, data in try PropertyListCoding.decode(type, from: data) }
    )

    /// Returns a JSON format with custom coders.
    ///
    /// - Parameters:
    ///   - encoder: The encoder to use. Don't modify it after this call.
    ///   - decoder: The decoder to use. Don't modify it after this call.
    /// - Returns: A JSON format that uses these coders.
    public static func json(encoder: JSONEncoder = JSONEncoder(), decoder: JSONDecoder = JSONDecoder()) -> CodableFormat
    {
        CodableFormat(
            encode: { try encoder.encode($0) },
            decode: { type, data in try decoder.decode(type, from: data) }
        )
    }

    /// Creates a format from two closures.
    ///
    /// - Parameters:
    ///   - encode: A closure that encodes a value as bytes.
    ///   - decode: A closure that decodes a value of the given type from bytes.
    public init(
        encode: @escaping @Sendable (any Encodable) throws -> Data,
        decode: @escaping @Sendable (any Decodable.Type, Data) throws -> any Decodable
    ) {
        encoder = encode
        decoder = decode
    }

    func data(of value: some Encodable) throws -> Data {
        do { return try encoder(value) } catch {
            throw CoreError.DataSerialization(
                "A value of type \(type(of: value)) could not be encoded. Check the type's `encode(to:)` and the encoder of the format.",
                underlying: error
            )
        }
    }

    func value<T: Decodable>(_ type: T.Type, of data: Data) throws -> T {
        let decoded: any Decodable
        do { decoded = try decoder(type, data) } catch {
            throw CoreError.DataSerialization(
                "\(counted(data.count, "byte")) could not be decoded as \(type). Use the type and the format with which the value was encoded.",
                underlying: error
            )
        }
        guard let value = decoded as? T else {
            throw CoreError.DataSerialization(
                "The decoder returned a \(Swift.type(of: decoded)) instead of a \(type). Return the requested type from the format's `decode` closure."
            )
        }
        return value
    }
}
