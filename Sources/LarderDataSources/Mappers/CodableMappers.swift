public import Foundation
import LarderCore

// Models to text and back, by the names of the documents. What can't be encoded or decoded is `CoreError.DataSerialization`.

/// Encodes a model as JSON text.
public struct ModelToStringMapper<T: Encodable>: Mapper {
    private let format: CodableFormat

    /// A mapper to JSON text.
    ///
    /// - Parameter encoder: Not to be changed any more.
    public init(_ encoder: JSONEncoder = JSONEncoder()) { self.init(format: .json(encoder: encoder)) }

    /// A mapper to the text of a format.
    ///
    /// - Parameter format: One whose bytes are UTF-8.
    public init(format: CodableFormat) { self.format = format }

    /// The model as text.
    public func map(_ from: T) throws -> String { try text(format.data(of: from)) }
}

/// Decodes a model from JSON text.
public struct StringToModelMapper<T: Decodable>: Mapper {
    private let format: CodableFormat

    /// A mapper from JSON text.
    ///
    /// - Parameters:
    ///   - type: The model's type.
    ///   - decoder: Not to be changed any more.
    public init(_ type: T.Type = T.self, _ decoder: JSONDecoder = JSONDecoder()) {
        self.init(type, format: .json(decoder: decoder))
    }

    /// A mapper from the text of a format.
    ///
    /// - Parameters:
    ///   - type: The model's type.
    ///   - format: One whose bytes are UTF-8.
    public init(_ type: T.Type = T.self, format: CodableFormat) { self.format = format }

    /// The model.
    public func map(_ from: String) throws -> T { try format.value(T.self, of: Data(from.utf8)) }
}

/// Encodes a list of models as one JSON text.
public struct ListModelToStringMapper<T: Encodable>: Mapper {
    private let format: CodableFormat

    /// A mapper to JSON text.
    ///
    /// - Parameter encoder: Not to be changed any more.
    public init(_ encoder: JSONEncoder = JSONEncoder()) { self.init(format: .json(encoder: encoder)) }

    /// A mapper to the text of a format.
    ///
    /// - Parameter format: One whose bytes are UTF-8.
    public init(format: CodableFormat) { self.format = format }

    /// The whole list as text.
    public func map(_ from: [T]) throws -> String { try text(format.data(of: from)) }
}

/// Decodes a list of models from one JSON text.
public struct StringToListModelMapper<T: Decodable>: Mapper {
    private let format: CodableFormat

    /// A mapper from JSON text.
    ///
    /// - Parameters:
    ///   - type: The list's type.
    ///   - decoder: Not to be changed any more.
    public init(_ type: [T].Type = [T].self, _ decoder: JSONDecoder = JSONDecoder()) {
        self.init(type, format: .json(decoder: decoder))
    }

    /// A mapper from the text of a format.
    ///
    /// - Parameters:
    ///   - type: The list's type.
    ///   - format: One whose bytes are UTF-8.
    public init(_ type: [T].Type = [T].self, format: CodableFormat) { self.format = format }

    /// The whole list.
    public func map(_ from: String) throws -> [T] { try format.value([T].self, of: Data(from.utf8)) }
}

/// Encodes a value as bytes.
public struct EncodableToDataMapper<T: Encodable>: Mapper {
    private let format: CodableFormat
    /// A mapper to a format.
    public init(_ format: CodableFormat = .json) { self.format = format }
    /// The value as bytes.
    public func map(_ from: T) throws -> Data { try format.data(of: from) }
}

/// Decodes a value from bytes.
public struct DataToDecodableMapper<T: Decodable>: Mapper {
    private let format: CodableFormat

    /// A mapper from a format.
    ///
    /// - Parameters:
    ///   - type: The value's type.
    ///   - format: What the bytes are in.
    public init(_ type: T.Type = T.self, _ format: CodableFormat = .json) { self.format = format }

    /// The value.
    public func map(_ from: Data) throws -> T { try format.value(T.self, of: from) }
}

/// Turns a value into one of another type that is encoded alike.
public struct EncodableToDecodableMapper<From: Encodable, To: Decodable>: Mapper {
    private let format: CodableFormat
    /// A mapper by way of a format.
    public init(_ format: CodableFormat = .json) { self.format = format }
    /// What the encoded value is as the other type.
    public func map(_ from: From) throws -> To { try format.value(To.self, of: format.data(of: from)) }
}

private func text(_ data: Data) throws -> String {
    guard let text = String(validating: data, as: UTF8.self) else {
        throw CoreError.DataSerialization(
            "\(data.count) encoded bytes are no UTF-8 text: use a Data source for this format."
        )
    }
    return text
}
