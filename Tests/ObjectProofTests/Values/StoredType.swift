#if Objects
import Foundation
import LarderObjects

/// A type of attribute that converts to and from the tests' own values.
protocol StoredType: Sendable, Equatable {
    associatedtype Coding: AttributeCoding where Coding.Value == Self?
    associatedtype RequiredCoding: AttributeCoding where RequiredCoding.Value == Self
    init?(_ value: Value)
    var value: Value { get }
}

extension StoredType where Self: ColumnConvertible {
    typealias Coding = DirectCoding<Self?>
    typealias RequiredCoding = DirectCoding<Self>
}

extension StoredType where Self: FixedWidthInteger {
    init?(_ value: Value) {
        guard case .integer(let integer) = value else { return nil }
        self.init(exactly: integer)
    }
    var value: Value { .integer(Int128(self)) }
}

extension Int8: StoredType {}
extension Int16: StoredType {}
extension Int32: StoredType {}
extension Int64: StoredType {}
extension UInt8: StoredType {}
extension UInt16: StoredType {}
extension UInt32: StoredType {}
extension UInt64: StoredType {}

extension Bool: StoredType {
    init?(_ value: Value) {
        guard case .flag(let flag) = value else { return nil }
        self = flag
    }
    var value: Value { .flag(self) }
}

extension Double: StoredType {
    init?(_ value: Value) {
        guard case .double(let double) = value else { return nil }
        self = double
    }
    var value: Value { .double(self) }
}

extension Float: StoredType {
    init?(_ value: Value) {
        guard case .float(let float) = value else { return nil }
        self = float
    }
    var value: Value { .float(self) }
}

extension Decimal: StoredType {
    init?(_ value: Value) {
        guard case .decimal(let decimal) = value else { return nil }
        self = decimal
    }
    var value: Value { .decimal(self) }
}

extension String: StoredType {
    init?(_ value: Value) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
    var value: Value { .text(self) }
}

extension URL: StoredType {
    init?(_ value: Value) {
        guard case .url(let text) = value else { return nil }
        self.init(string: text)
    }
    var value: Value { .url(absoluteString) }
}

extension UUID: StoredType {
    init?(_ value: Value) {
        guard case .uuid(let uuid) = value else { return nil }
        self = uuid
    }
    var value: Value { .uuid(self) }
}

extension Data: StoredType {
    init?(_ value: Value) {
        guard case .data(let data) = value else { return nil }
        self = data
    }
    var value: Value { .data(self) }
}

extension Date: StoredType {
    init?(_ value: Value) {
        guard case .date(let seconds) = value else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
    var value: Value { .date(timeIntervalSinceReferenceDate) }
}

/// A `Codable` type that can decode every JSON literal.
indirect enum Literal: Codable, Hashable, Sendable {
    case flag(Bool), integer(Int64), large(UInt64), number(Decimal), real(Double), text(String)
    case list([Literal]), object([String: Literal]), null

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let integer = try? container.decode(Int64.self) {
            self = .integer(integer)
        } else if let large = try? container.decode(UInt64.self) {
            self = .large(large)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Decimal.self), !number.isNaN {
            self = .number(number)
        } else if let real = try? container.decode(Double.self) {
            self = .real(real)
        } else if let list = try? container.decode([Literal].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: Literal].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .flag(let flag): try container.encode(flag)
        case .integer(let integer): try container.encode(integer)
        case .large(let large): try container.encode(large)
        case .number(let number): try container.encode(number)
        case .real(let real): try container.encode(real)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        case .null: try container.encodeNil()
        }
    }
}

extension Literal: StoredType {
    typealias Coding = JSONCoding<Literal?>
    typealias RequiredCoding = JSONCoding<Literal>
    init?(_ value: Value) {
        guard case .json(let text) = value, let literal = try? JSONDecoder().decode(Literal.self, from: Data(text.utf8))
        else { return nil }
        self = literal
    }
    /// The decoded value, because the original literal is not stored.
    var value: Value { .json("\(self)") }
}

extension Format {
    /// A type whose values are stored in the format.
    var type: any StoredType.Type {
        switch self {
        case .int8: Int8.self
        case .int16: Int16.self
        case .int32: Int32.self
        case .int64: Int64.self
        case .uint8: UInt8.self
        case .uint16: UInt16.self
        case .uint32: UInt32.self
        case .uint64: UInt64.self
        case .bool: Bool.self
        case .double: Double.self
        case .float: Float.self
        case .decimal: Decimal.self
        case .string: String.self
        case .url: URL.self
        case .uuid: UUID.self
        case .data: Data.self
        case .date: Date.self
        case .json: Literal.self
        }
    }
}
#endif
