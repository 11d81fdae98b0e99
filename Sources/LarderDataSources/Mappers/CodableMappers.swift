public import Foundation
import LarderCore

// Mappers between models and strings, named as in Harmony. Encoding and decoding errors become `CoreError.DataSerialization`.

/// A mapper that encodes a model as a string, in JSON format by default.
public struct ModelToStringMapper<T: Encodable>: Mapper {
    private let format: CodableFormat

    /// Creates a mapper that encodes models as JSON strings.
    ///
    /// - Parameter encoder: The encoder to use. Don't modify it after this call.
    public init(_ encoder: JSONEncoder = JSONEncoder()) { self.init(format: .json(encoder: encoder)) }

    /// Creates a mapper that encodes models as strings in a custom format.
    ///
    /// - Parameter format: A format that produces UTF-8.
    public init(format: CodableFormat) { self.format = format }

    /// Encodes a model as a string.
    public func map(_ from: T) throws -> String { try text(format.data(of: from)) }
}

/// A mapper that decodes a model from a string, in JSON format by default.
public struct StringToModelMapper<T: Decodable>: Mapper {
    private let format: CodableFormat

    /// Creates a mapper that decodes models from JSON strings.
    ///
    /// - Parameters:
    ///   - type: The type of the model.
    ///   - decoder: The decoder to use. Don't modify it after this call.
    public init(_ type: T.Type = T.self, _ decoder: JSONDecoder = JSONDecoder()) {
        self.init(type, format: .json(decoder: decoder))
    }

    /// Creates a mapper that decodes models from strings in a custom format.
    ///
    /// - Parameters:
    ///   - type: The type of the model.
    ///   - format: A format that produces UTF-8.
    public init(_ type: T.Type = T.self, format: CodableFormat) { self.format = format }

    /// Decodes a model from a string.
    public func map(_ from: String) throws -> T { try format.value(T.self, of: Data(from.utf8)) }
}

/// A mapper that encodes a list of models as one string, in JSON format by default.
public struct ListModelToStringMapper<T: Encodable>: Mapper {
    private let format: CodableFormat

    /// Creates a mapper that encodes lists of models as JSON strings.
    ///
    /// - Parameter encoder: The encoder to use. Don't modify it after this call.
    public init(_ encoder: JSONEncoder = JSONEncoder()) { self.init(format: .json(encoder: encoder)) }

    /// Creates a mapper that encodes lists of models as strings in a custom format.
    ///
    /// - Parameter format: A format that produces UTF-8.
    public init(format: CodableFormat) { self.format = format }

    /// Encodes a list of models as one string.
    public func map(_ from: [T]) throws -> String { try text(format.data(of: from)) }
}

/// A mapper that decodes a list of models from one string, in JSON format by default.
public struct StringToListModelMapper<T: Decodable>: Mapper {
    private let format: CodableFormat

    /// Creates a mapper that decodes lists of models from JSON strings.
    ///
    /// - Parameters:
    ///   - type: The type of the list.
    ///   - decoder: The decoder to use. Don't modify it after this call.
    public init(_ type: [T].Type = [T].self, _ decoder: JSONDecoder = JSONDecoder()) {
        self.init(type, format: .json(decoder: decoder))
    }

    /// Creates a mapper that decodes lists of models from strings in a custom format.
    ///
    /// - Parameters:
    ///   - type: The type of the list.
    ///   - format: A format that produces UTF-8.
    public init(_ type: [T].Type = [T].self, format: CodableFormat) { self.format = format }

    /// Decodes a list of models from one string.
    public func map(_ from: String) throws -> [T] { try format.value([T].self, of: Data(from.utf8)) }
}

/// A mapper that encodes a value as bytes.
public struct EncodableToDataMapper<T: Encodable>: Mapper {
    private let format: CodableFormat
    /// Creates a mapper that encodes values as bytes in the given format.
    public init(_ format: CodableFormat = .json) { self.format = format }
    /// Encodes a value in this mapper's format.
    public func map(_ from: T) throws -> Data { try format.data(of: from) }
}

/// A mapper that decodes a value from bytes.
public struct DataToDecodableMapper<T: Decodable>: Mapper {
    private let format: CodableFormat

    /// Creates a mapper that decodes values from bytes in the given format.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - format: The format of the bytes.
    public init(_ type: T.Type = T.self, _ format: CodableFormat = .json) { self.format = format }

    /// Decodes a value that was encoded in this mapper's format.
    public func map(_ from: Data) throws -> T { try format.value(T.self, of: from) }
}

/// A mapper that converts a value by encoding it and decoding the result as another type.
public struct EncodableToDecodableMapper<From: Encodable, To: Decodable>: Mapper {
    private let format: CodableFormat
    /// Creates a mapper that uses the given format to encode and decode values.
    public init(_ format: CodableFormat = .json) { self.format = format }
    /// Encodes a value and decodes the result as a `To`.
    public func map(_ from: From) throws -> To { try format.value(To.self, of: format.data(of: from)) }
}

private func text(_ data: Data) throws -> String {
    guard let text = String(validating: data, as: UTF8.self) else {
        throw CoreError.DataSerialization(
            "The value can't be stored as a string because its encoded form is not UTF-8. Store values of this format in a data source of `Data`."
        )
    }
    return text
}
