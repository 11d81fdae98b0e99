#if Objects
import Dispatch
import Foundation
import LarderCore
@testable import LarderObjects
import Testing

/// Checks that migrating a file converts values as Documentation/Migrations.md specifies.
@Suite struct ConversionPageTests {
    struct Pair: Sendable, CustomTestStringConvertible {
        let from: Format
        let to: Format
        var testDescription: String { "\(from) to \(to)" }
    }

    static let pairs = Format.allCases.flatMap { from in Format.allCases.map { Pair(from: from, to: $0) } }

    @Test func conversionPageDescribesEveryTypePair() {
        #expect(ConversionPage.table.count == 11)
        for pair in Self.pairs {
            let rule = ConversionPage.rule(from: pair.from.label, to: pair.to.label)
            #expect(ConversionPage.rules.contains(rule), "\(pair.testDescription): \(rule)")
        }
        #expect(Set(ConversionPage.table.values.flatMap(\.values)) == ConversionPage.rules)
        #expect(ConversionPage.examples.count == ConversionPage.exampleCount && ConversionPage.exampleCount > 20)
    }

    @Test(arguments: pairs) func conversionFollowsDocumentedRule(_ pair: Pair) {
        let rule = ConversionPage.rule(from: pair.from.label, to: pair.to.label)
        let conversion = ColumnConversion(from: pair.from.rawValue, to: pair.to.rawValue)
        #expect(conversion.isPossible == (rule != "–"))
        #expect(conversion.isTotal == (rule == "exact"))
        // Two integer types of one row have the rule "range", and are equal if they are one.
        if conversion.isIdentity { #expect(rule == "equal" || pair.from.range != nil) }
    }

    /// Opens a file with a model that changes an attribute's type, and reads every value back.
    ///
    /// The file is opened with and without a declaration that allows losses.
    @Test(arguments: pairs) func migrationConvertsEveryValueAsDocumented(_ pair: Pair) async throws {
        // A top-level `null` reads as `nil` where the attribute is optional, whatever the migration does.
        var samples = Value.samples(of: pair.from).filter { pair.to != .json || $0 != .json("null") }
        if pair.from == .data { samples.append(.data(Data([0, 65]))) }
        try await migrate(pair.from.type, pair.to.type, samples, pair)
    }

    @Test(arguments: ConversionPage.examples) func documentedConversionExampleIsCorrect(
        _ example: ConversionPage.Example
    ) async throws {
        let value = try #require(Self.read(example.value, example.from))
        let outcome = ConversionOracle.convert(value, to: example.to)
        switch outcome {
        case .exact: #expect(example.outcome == "exact")
        case .inexact: #expect(example.outcome == "inexact")
        case .none: #expect(example.outcome == "none")
        }
        #expect(example.result == outcome.value?.description ?? "")
        try await migrate(example.from.type, example.to.type, [value], Pair(from: example.from, to: example.to))
    }

    private func migrate<Old: StoredType, New: StoredType>(
        _ old: Old.Type,
        _ new: New.Type,
        _ samples: [Value],
        _ pair: Pair
    ) async throws {
        let outcomes = samples.map { ConversionOracle.convert($0, to: pair.to) }
        // The first object is nil. Ids begin with 1.
        func ids(_ isCounted: (ConversionOracle.Outcome) -> Bool) -> [Int64] {
            outcomes.indices.filter { isCounted(outcomes[$0]) }.map { Int64($0) + 2 }
        }
        let inexact = ids { if case .inexact = $0 { true } else { false } }
        let none = ids { $0 == .none }
        let replacement = try #require(Value.samples(of: pair.to).last.flatMap { New($0) })
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("file.sqlite")
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            let first = try SQLiteStorageManager(
                model: ObjectModel(descriptions: [Cell<Old>.description()]),
                url: url,
                configuration: configuration
            )
            let written = try samples.map { sample -> Old in try #require(Old(sample)) }
            let values: [Old?] = [nil] + written
            try await first.performAndSave { storage in
                for value in values { try storage.insertNewObject(ofType: Cell<Old>.self).content = value }
            }
            try first.close()

            let plain = ObjectModel(descriptions: [Cell<New>.description()], version: 2)
            if !inexact.isEmpty || !none.isEmpty {
                let bytes = try Data(contentsOf: url)
                let error = #expect(throws: ObjectError.self) {
                    try SQLiteStorageManager(model: plain, url: url, configuration: configuration)
                }
                let losses = error?.losses ?? []
                for (kind, ids) in [(MigrationLoss.Kind.value, none), (.inexactValue, inexact)] {
                    let loss = losses.first { $0.kind == kind }
                    #expect(loss?.count ?? 0 == ids.count, "\(kind)")
                    #expect(loss?.objectIDs.map(\.rowID) ?? [] == Array(ids.prefix(5)), "\(kind)")
                }
                #expect(try Data(contentsOf: url) == bytes)
            }
            let allowed = ObjectModel(
                descriptions: [Cell<New>.description([.inexact], replacement: replacement)],
                version: 2
            )
            let manager = try SQLiteStorageManager(
                model: inexact.isEmpty && none.isEmpty ? plain : allowed,
                url: url,
                configuration: configuration
            )
            let read = try manager.viewStorage.allObjects(ofType: Cell<New>.self).sorted {
                $0.objectID.rowID < $1.objectID.rowID
            }
            .map(\.content)
            let expected = outcomes.map { $0.value.flatMap { New($0) } ?? replacement }
            #expect(read.count == samples.count + 1 && read.first.map { $0 == nil } == true)
            for (index, value) in zip(0..<expected.count, read.dropFirst()) {
                #expect(value == expected[index], "\(samples[index])")
            }
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    private static func read(_ text: String, _ format: Format) -> Value? {
        switch format {
        case .bool: return Value.flag(text == "true")
        case .double: return (Double(text) as Double?).map { Value.double($0) }
        case .float: return Float(text).map { Value.float($0) }
        case .decimal: return Decimal(string: text).map { Value.decimal($0) }
        case .string: return Value.text(text)
        case .json: return Value.json(text)
        default: return Int128(text).map { Value.integer($0) }
        }
    }
}

/// An entity with one optional attribute.
///
/// The macros do not expand in generic classes, so this class is written by hand in the expanded form.
final class Cell<Content: StoredType>: Object {
    let objectState: ObjectState

    init(objectState state: ObjectState) { objectState = state }

    static var entityDescription: EntityDescription { description() }

    static func description(_ options: [AttributeOption] = [], replacement: Content? = nil) -> EntityDescription {
        EntityDescription(
            Cell.self,
            name: "Cell",
            properties: [
                .attribute(
                    "content",
                    \Cell.content,
                    Content.Coding.self,
                    options: options,
                    replacement: Self.constant(replacement)
                )
            ]
        )
    }

    private static func constant(_ value: Content?) -> (@Sendable () -> Content?)? {
        guard let value else { return nil }
        return { value }
    }

    var content: Content? {
        get { objectState.value(0, Content.Coding.self, default: nil) }
        set { objectState.setValue(0, Content.Coding.self, newValue) }
    }
}

/// Runs `body` with a temporary folder that is removed afterwards.
func withTemporaryFolder<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
}
#endif
