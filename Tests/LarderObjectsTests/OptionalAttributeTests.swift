#if Objects
import Foundation
import LarderObjects
import Testing

@Entity final class Perhaps {
    var int: Int?
    var int8: Int8?
    var int16: Int16?
    var int32: Int32?
    var int64: Int64?
    var uint: UInt?
    var uint8: UInt8?
    var uint16: UInt16?
    var uint32: UInt32?
    var uint64: UInt64?
    var double: Double?
    var float: Float?
    var bool: Bool?
    var string: String?
    var data: Data?
    var date: Date?
    var url: URL?
    var uuid: UUID?
    var decimal: Decimal?
    var level: Level?
    var address: Address?
    var words: [String]?
}

@Entity final class Lists {
    var ints: [Int] = []
    var unsigned: [UInt64] = []
    var doubles: [Double] = []
    var floats: [Float] = []
    var flags: [Bool] = []
    var texts: [String] = []
    var pieces: [Data] = []
    var dates: [Date] = []
    var links: [URL] = []
    var uuids: [UUID] = []
    var amounts: [Decimal] = []
    var states: [Status] = []
    var addresses: [Address] = []
    var perhaps: [Int?] = []
}

/// Tests of attributes of every type, as an optional and in an array.
@Suite struct OptionalAttributeTests {
    private static let model = ObjectModel([Perhaps.self, Lists.self])

    /// Stores each value, and expects that an instance in another context reads an equal value.
    private func comesBack<T: Object, Value: Equatable & Sendable>(
        _ property: any ReferenceWritableKeyPath<T, Value> & Sendable,
        _ values: [Value],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try await withStorage(model: Self.model) { manager in
            let id = try await manager.performAndSave { try $0.insertNewObject(ofType: T.self).objectID }
            for value in values {
                try await manager.performAndSave { storage in
                    try storage.loadObject(ofType: T.self, with: id)?[keyPath: property] = value
                }
                let read = try await manager.performAndSave { storage in
                    try storage.loadObject(ofType: T.self, with: id)?[keyPath: property]
                }
                #expect(read == value, sourceLocation: sourceLocation)
            }
        }
    }

    @Test func optionalValuesAndNilRoundTrip() async throws {
        try await comesBack(\Perhaps.int, [.min, nil, 0])
        try await comesBack(\Perhaps.int8, [.min, nil, 0])
        try await comesBack(\Perhaps.int16, [.min, nil, 0])
        try await comesBack(\Perhaps.int32, [.min, nil, 0])
        try await comesBack(\Perhaps.int64, [.max, nil, 0])
        try await comesBack(\Perhaps.uint, [.max, nil, 0])
        try await comesBack(\Perhaps.uint8, [.max, nil, 0])
        try await comesBack(\Perhaps.uint16, [.max, nil, 0])
        try await comesBack(\Perhaps.uint32, [.max, nil, 0])
        try await comesBack(\Perhaps.uint64, [.max, nil, 0])
        try await comesBack(\Perhaps.double, [0.1, nil, -.infinity])
        try await comesBack(\Perhaps.float, [0.1, nil, 0])
        try await comesBack(\Perhaps.bool, [true, nil, false])
        try await comesBack(\Perhaps.string, ["é", nil, ""])
        try await comesBack(\Perhaps.data, [Data([0, 255]), nil, Data()])
        try await comesBack(\Perhaps.date, [Date(timeIntervalSinceReferenceDate: 0.1), nil, .distantPast])
        try await comesBack(\Perhaps.url, [URL(string: "https://a.example/b"), nil])
        try await comesBack(\Perhaps.uuid, [UUID(), nil])
        try await comesBack(\Perhaps.decimal, [Decimal(string: "-1.05"), nil, 0])
        try await comesBack(\Perhaps.level, [.high, nil, .low])
        try await comesBack(\Perhaps.address, [Address(street: "1", city: "é"), nil])
        try await comesBack(\Perhaps.words, [["a", ""], nil, []])
    }

    @Test func arraysOfEveryTypeRoundTrip() async throws {
        try await comesBack(\Lists.ints, [[.min, 0, .max], []])
        try await comesBack(\Lists.unsigned, [[0, .max]])
        try await comesBack(\Lists.doubles, [[0.1, -.infinity, .greatestFiniteMagnitude]])
        try await comesBack(\Lists.floats, [[0.1, .infinity]])
        try await comesBack(\Lists.flags, [[true, false]])
        try await comesBack(\Lists.texts, [["", "é\n", "\""]])
        try await comesBack(\Lists.pieces, [[Data(), Data([0, 255])]])
        try await comesBack(\Lists.dates, [[Date(timeIntervalSinceReferenceDate: 700_000_000.1)]])
        try await comesBack(\Lists.links, [[URL(fileURLWithPath: "/a b")]])
        try await comesBack(\Lists.uuids, [[UUID(), UUID()]])
        try await comesBack(\Lists.amounts, [["0.1", "-12345678901234567890.5"].compactMap { Decimal(string: $0) }])
        try await comesBack(\Lists.states, [[.paid, .sent]])
        try await comesBack(\Lists.addresses, [[Address(street: "1", city: "é"), Address()]])
        try await comesBack(\Lists.perhaps, [[1, nil, 3]])
    }
}
#endif
