#if Objects
import Foundation
import LarderObjects
import Testing

/// Fills and checks a database with the model ``GoldenModel``.
enum GoldenContent {
    static func fill(_ storage: any WritableStorageType) throws {
        for number in 0..<GoldenModel.count {
            try fill(storage.insertNewObject(ofType: GoldenModel.Everything.self), number)
        }
        let tracks = try numbers { (number) -> GoldenModel.Track in
            let track = try storage.insertNewObject(ofType: GoldenModel.Track.self)
            track.number = Int64(number)
            return track
        }
        let labels = try numbers { (number) -> GoldenModel.Label in
            let label = try storage.insertNewObject(ofType: GoldenModel.Label.self)
            label.number = Int64(number)
            return label
        }
        for number in 0..<GoldenModel.count {
            let album = try storage.insertNewObject(ofType: GoldenModel.Album.self)
            album.number = Int64(number)
            album.tracks = GoldenValues(number: number).tracks.map { tracks[$0] }
            let cover = try storage.insertNewObject(ofType: GoldenModel.Cover.self)
            cover.number = Int64(number)
            if number % 4 != 0 { cover.album = album }
            tracks[number].labels = GoldenValues(number: number).labels.map { labels[$0] }
        }
        for number in 0..<GoldenModel.count { labels[number].tracks = tracksOfLabel(number).map { tracks[$0] } }
    }

    /// Returns the numbers of a label's tracks in their stored order, which differs from insertion order.
    private static func tracksOfLabel(_ number: Int) -> [Int] {
        (0..<GoldenModel.count).reversed().filter { GoldenValues(number: $0).labels.contains(number) }
    }

    private static func numbers<Element>(_ make: (Int) throws -> Element) rethrows -> [Element] {
        try (0..<GoldenModel.count).map(make)
    }

    private static func fill(_ object: GoldenModel.Everything, _ number: Int) throws {
        let values = GoldenValues(number: number)
        object.number = Int64(number)
        object.int8 = Int8(values.integer)
        object.int16 = Int16(values.integer)
        object.int32 = Int32(values.integer)
        object.int64 = values.integer << 40
        object.uint8 = UInt8(values.integer)
        object.uint16 = UInt16(values.integer)
        object.uint32 = UInt32(values.integer)
        object.uint64 = values.large
        object.real = values.real
        object.single = Float(values.real)
        object.flag = number % 2 == 0
        object.text = values.text
        object.link = try #require(values.link)
        object.bytes = values.bytes
        object.identifier = values.identifier
        object.moment = values.moment
        object.amount = values.amount
        object.size = values.size
        object.point = values.point
        guard !values.isMissing else { return }
        object.optionalInt8 = Int8(values.integer)
        object.optionalInt16 = Int16(values.integer)
        object.optionalInt32 = Int32(values.integer)
        object.optionalInt64 = values.integer << 40
        object.optionalUInt8 = UInt8(values.integer)
        object.optionalUInt16 = UInt16(values.integer)
        object.optionalUInt32 = UInt32(values.integer)
        object.optionalUInt64 = values.large
        object.optionalReal = values.real
        object.optionalSingle = Float(values.real)
        object.optionalFlag = number % 2 == 0
        object.optionalText = values.text
        object.optionalLink = values.link
        object.optionalBytes = values.bytes
        object.optionalIdentifier = values.identifier
        object.optionalMoment = values.moment
        object.optionalAmount = values.amount
        object.optionalSize = values.size
        object.optionalPoint = values.point
    }

    static func check(_ storage: any StorageType) throws {
        let objects = try storage.allObjects(ofType: GoldenModel.Everything.self)
        try #require(objects.count == GoldenModel.count)
        for (number, object) in objects.enumerated() { try check(object, number) }
        let albums = try storage.allObjects(ofType: GoldenModel.Album.self)
        #expect(albums.map(\.number) == (0..<GoldenModel.count).map(Int64.init))
        for (number, album) in albums.enumerated() {
            #expect(album.tracks.map { Int($0.number) } == GoldenValues(number: number).tracks)
            #expect(album.cover?.number == (number % 4 == 0 ? nil : Int64(number)))
        }
        for (number, track) in try storage.allObjects(ofType: GoldenModel.Track.self).enumerated() {
            #expect(track.labels.map { Int($0.number) } == GoldenValues(number: number).labels)
        }
        for (number, label) in try storage.allObjects(ofType: GoldenModel.Label.self).enumerated() {
            #expect(label.tracks.map { Int($0.number) } == tracksOfLabel(number))
        }
        #expect(try storage.countObjects(ofType: GoldenModel.Cover.self) == GoldenModel.count)
    }

    private static func check(_ object: GoldenModel.Everything, _ number: Int) throws {
        let values = GoldenValues(number: number)
        #expect(object.number == Int64(number))
        #expect(object.int8 == Int8(values.integer))
        #expect(object.int16 == Int16(values.integer))
        #expect(object.int32 == Int32(values.integer))
        #expect(object.int64 == values.integer << 40)
        #expect(object.uint8 == UInt8(values.integer))
        #expect(object.uint16 == UInt16(values.integer))
        #expect(object.uint32 == UInt32(values.integer))
        #expect(object.uint64 == values.large)
        #expect(object.real == values.real)
        #expect(object.single == Float(values.real))
        #expect(object.flag == (number % 2 == 0))
        #expect(object.text == values.text)
        #expect(object.link == values.link)
        #expect(object.bytes == values.bytes)
        #expect(object.identifier == values.identifier)
        #expect(object.moment == values.moment)
        #expect(object.amount == values.amount)
        #expect(object.size == values.size)
        #expect(object.point == values.point)
        let isMissing = values.isMissing
        #expect(object.optionalInt8 == (isMissing ? nil : Int8(values.integer)))
        #expect(object.optionalInt16 == (isMissing ? nil : Int16(values.integer)))
        #expect(object.optionalInt32 == (isMissing ? nil : Int32(values.integer)))
        #expect(object.optionalInt64 == (isMissing ? nil : values.integer << 40))
        #expect(object.optionalUInt8 == (isMissing ? nil : UInt8(values.integer)))
        #expect(object.optionalUInt16 == (isMissing ? nil : UInt16(values.integer)))
        #expect(object.optionalUInt32 == (isMissing ? nil : UInt32(values.integer)))
        #expect(object.optionalUInt64 == (isMissing ? nil : values.large))
        #expect(object.optionalReal == (isMissing ? nil : values.real))
        #expect(object.optionalSingle == (isMissing ? nil : Float(values.real)))
        #expect(object.optionalFlag == (isMissing ? nil : number % 2 == 0))
        #expect(object.optionalText == (isMissing ? nil : values.text))
        #expect(object.optionalLink == (isMissing ? nil : values.link))
        #expect(object.optionalBytes == (isMissing ? nil : values.bytes))
        #expect(object.optionalIdentifier == (isMissing ? nil : values.identifier))
        #expect(object.optionalMoment == (isMissing ? nil : values.moment))
        #expect(object.optionalAmount == (isMissing ? nil : values.amount))
        #expect(object.optionalSize == (isMissing ? nil : values.size))
        #expect(object.optionalPoint == (isMissing ? nil : values.point))
    }
}
#endif
