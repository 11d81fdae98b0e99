#if Objects
import Foundation
import LarderObjects

/// The model of the golden file for format 1.
///
/// The file was written by the code before format 2. Never change this model. A test that needs a different model must declare its own.
enum GoldenModel {
    static let model = ObjectModel([Everything.self, Album.self, Track.self, Cover.self, Label.self])
    /// A later version of the model with the same tables.
    static let later = ObjectModel([Everything.self, Album.self, Track.self, Cover.self, Label.self], version: 2)
    /// The number of objects per entity.
    static let count = 20

    enum Size: String, Codable, Sendable, CaseIterable {
        case small, medium, large
    }

    struct Point: Codable, Sendable, Equatable {
        var x: Int
        var y: Double?
        var names: [String]
    }

    @Entity(indexes: [["int16", "real"]]) final class Everything {
        @Attribute(.unique) var number: Int64 = 0
        var int8: Int8 = 0
        var int16: Int16 = 0
        @Attribute(.indexed) var int32: Int32 = 0
        var int64: Int64 = 0
        var uint8: UInt8 = 0
        var uint16: UInt16 = 0
        var uint32: UInt32 = 0
        var uint64: UInt64 = 0
        var real: Double = 0
        var single: Float = 0
        var flag: Bool = false
        @Attribute(.searchable) var text: String = ""
        var link: URL = URL(fileURLWithPath: "/")
        var bytes: Data = Data()
        var identifier: UUID = UUID()
        var moment: Date = Date(timeIntervalSinceReferenceDate: 0)
        var amount: Decimal = 0
        var size: Size = .small
        var point: Point = Point(x: 0, y: nil, names: [])
        var optionalInt8: Int8?
        var optionalInt16: Int16?
        var optionalInt32: Int32?
        var optionalInt64: Int64?
        var optionalUInt8: UInt8?
        var optionalUInt16: UInt16?
        var optionalUInt32: UInt32?
        var optionalUInt64: UInt64?
        var optionalReal: Double?
        var optionalSingle: Float?
        var optionalFlag: Bool?
        var optionalText: String?
        var optionalLink: URL?
        var optionalBytes: Data?
        var optionalIdentifier: UUID?
        var optionalMoment: Date?
        var optionalAmount: Decimal?
        var optionalSize: Size?
        var optionalPoint: Point?
    }

    @Entity final class Album {
        var number: Int64 = 0
        @Relationship(deleteRule: .cascade, inverse: \Track.album, ordered: true) var tracks: [Track]
        @Relationship(inverse: \Cover.album) var cover: Cover?
    }

    @Entity final class Track {
        var number: Int64 = 0
        @Relationship var album: Album?
        @Relationship(inverse: \Label.tracks, ordered: true) var labels: [Label]
    }

    @Entity final class Cover {
        var number: Int64 = 0
        @Relationship var album: Album?
    }

    @Entity final class Label {
        var number: Int64 = 0
        @Relationship(ordered: true) var tracks: [Track]
    }
}

/// The values of an object in the golden file, which are computed from the object's number.
struct GoldenValues {
    let number: Int

    var integer: Int64 { Int64(number) * 1_000_003 % 97 }
    /// An unsigned integer, which is greater than `Int64.max` for two of the objects.
    var large: UInt64 { number % 10 == 9 ? UInt64.max - UInt64(number) : UInt64(number) << 40 }
    var real: Double { Double(number) * 1.1 }
    var text: String { number == 0 ? "" : "é\(number) 😀" }
    var link: URL? { URL(string: "https://example.com/\(number)?q=a%20b") }
    var bytes: Data { Data((0..<number).map { UInt8($0 * 7 % 256) }) }
    var identifier: UUID {
        let byte = UInt8(number)
        return UUID(
            uuid: (byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte)
        )
    }
    var moment: Date { Date(timeIntervalSinceReferenceDate: Double(number) * 86_400.5) }
    var amount: Decimal { Decimal(number - 10) / 8 }
    var size: GoldenModel.Size { GoldenModel.Size.allCases[number % 3] }
    var point: GoldenModel.Point {
        GoldenModel.Point(x: number, y: number % 2 == 0 ? nil : real, names: ["é", text])
    }
    /// Whether the optional attributes are `nil`.
    var isMissing: Bool { number % 3 == 0 }
    /// The numbers of an album's tracks in their order.
    var tracks: [Int] { number % 2 == 0 ? [number + 1, number] : [] }
    /// The numbers of a track's labels in their order.
    var labels: [Int] { [(number * 7 + 5) % GoldenModel.count, (number * 7 + 2) % GoldenModel.count] }
}
#endif
