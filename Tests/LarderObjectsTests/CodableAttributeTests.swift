#if Objects
import Foundation
import GRDB
import LarderCore
import LarderObjects
import Testing

private struct Position: Codable, Sendable, Equatable {
    var x: Double = 0
    var weight: Decimal = 1
    var name = ""
    var date = Date(timeIntervalSinceReferenceDate: 0)
}

private enum Colour: String, Codable, Sendable { case red, green }

private struct Paint: Codable, Sendable, Equatable {
    var colour = Colour.red
    var layers = 1
}

@Entity private final class Spot {
    var position: Position = Position()
    var maybe: Position?
    var numbers: [Double] = []
    var colour: Colour = .red
    var maybeColour: Colour?
    var colours: [Colour] = []
    var paint: Paint = Paint()
    var maybePaint: Paint?
}

/// Tests that values inside Codable attributes are validated and reported like attributes.
@Suite struct CodableAttributeTests {
    private static let model = ObjectModel([Spot.self])

    @Test func savingNaNInsideCodableAttributeFails() async throws {
        try await withStorage(model: Self.model) { manager in
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    let spots = try (0..<5).map { _ in try storage.insertNewObject(ofType: Spot.self) }
                    spots[0].position.x = .nan
                    spots[1].maybe = Position(x: .nan)
                    spots[2].numbers = [1, .infinity, .nan]
                    spots[3].position.weight = .nan
                    spots[4].position.date = Date(timeIntervalSinceReferenceDate: .nan)
                }
            }
            #expect(error?.code == .invalidObjects)
            #expect(error?.problems.count == 5)
            for problem in error?.problems ?? [] { #expect(problem.contains("NaN"), "\(problem)") }
            let count = try manager.viewStorage.countObjects(ofType: Spot.self)
            #expect(count == 0)
        }
    }

    @Test func codableAttributeCanStoreInfinityAndStringNaN() async throws {
        try await withStorage(model: Self.model) { manager in
            let position = Position(x: -.infinity, name: "NaN, nan and inf")
            try await manager.performAndSave { storage in
                let spot = try storage.insertNewObject(ofType: Spot.self)
                spot.position = position
                spot.numbers = [.infinity, 0]
            }
            let spot = try #require(try manager.viewStorage.firstObject(ofType: Spot.self))
            #expect(try spot.load(\.position) == position)
            #expect(try spot.load(\.numbers) == [.infinity, 0])
        }
    }

    @Test func nanStoredByEarlierVersionCanBeRead() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { _ = try $0.insertNewObject(ofType: Spot.self) }
            try await manager.write { try $0.execute(sql: #"UPDATE Spot SET numbers = '[1,"nan"]'"#) }
            let numbers = try manager.viewStorage.firstObject(ofType: Spot.self)?.load(\.numbers)
            #expect(numbers?.first == 1 && numbers?.last?.isNaN == true)
        }
    }

    @Test(arguments: [
        ("colour", "blue"), ("maybeColour", "blue"), ("colours", #"["red","blue"]"#), ("paint", #"{"colour":"red"}"#),
        ("paint", #"{"colour":"blue","layers":1}"#), ("maybePaint", #"{"colour":"red"}"#),
        ("maybePaint", "null, but not in JSON"),
    ])
    func verifyListsUndecodableCodableValues(_ column: String, _ text: String) async throws {
        try await withTemporaryFolder { folder in
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            let manager = try SQLiteStorageManager(
                model: Self.model,
                name: "spots",
                in: folder,
                configuration: configuration
            )
            try await manager.performAndSave { _ = try $0.insertNewObject(ofType: Spot.self) }
            try await manager.write { try $0.execute(sql: "UPDATE Spot SET \(column) = ?", arguments: [text]) }
            let problems = try manager.verify().problems
            #expect(problems.map(\.key) == ["Spot/1.\(column)"])
            // The row is not damaged, so that another value can be stored.
            try await manager.performAndSave { storage in
                try storage.batchUpdate(
                    ofType: Spot.self,
                    set: [
                        .set(\.colour, to: .green), .set(\.maybeColour, to: .green), .set(\.colours, to: [.green]),
                        .set(\.paint, to: Paint()), .set(\.maybePaint, to: nil),
                    ]
                )
            }
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }
}
#endif
