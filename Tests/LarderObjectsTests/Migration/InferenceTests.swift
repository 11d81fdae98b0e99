#if Objects
import Foundation
@testable import LarderObjects
import Testing

/// Tests of the migration steps that are inferred from the descriptions of two model versions.
@Suite struct InferenceTests {
    enum Old {
        @Entity final class Note {
            var a: String = ""
            var number: Int = 0
        }
    }
    enum Ambiguous {
        @Entity final class Note {
            @Attribute(was: "a") var b: String = ""
            @Attribute(was: "a", "z") var c: String = ""
            var number: Int = 0
        }
    }
    enum Reused {
        @Entity(dropping: ["number"]) final class Note {
            @Attribute(was: "a") var number: String = ""
            var a: Date?
        }
    }
    enum Dated {
        @Entity final class Note {
            var a: Date?
            var number: Int = 0
        }
    }
    enum Loosened {
        @Entity final class Note {
            var a: String?
            var number: Int = 0
            var more: Int?
        }
    }
    enum Cases: String, Codable, Sendable, CaseIterable { case one, two }
    enum Constrained {
        @Entity final class Note {
            var a: Cases = .one
            @Attribute(.unique) var number: Int = 0
        }
    }

    private static func step(_ types: [any Object.Type], isFirstFormat: Bool = false) throws -> InferredStep {
        InferredStep(
            from: try ObjectModel([Old.Note.self]).frozen(),
            to: try ObjectModel(types, version: 2).frozen(),
            isFirstFormat: isFirstFormat
        )
    }

    @Test func renamingAttributeTwiceIsRejected() throws {
        let step = try Self.step([Ambiguous.Note.self])
        #expect(
            step.refusals == [
                "Note.c and Note.b both have the former name a. Freeze the intermediate versions, or remove one former name."
            ]
        )
    }

    @Test func reusedNameOfRenamedAttributeIsNewAttribute() throws {
        let step = try Self.step([Reused.Note.self])
        #expect(step.refusals.isEmpty)
        #expect(step.losses.map(\.kind) == [.attribute] && step.losses.allSatisfy(\.isAllowed))
        #expect(step.entities.first?.sources == [.column("a"), .null])
        #expect(step.entities.first?.work == .rebuild)
    }

    @Test func typeChangeWithoutConversionRequiresDefault() throws {
        let step = try Self.step([Dated.Note.self])
        #expect(step.refusals.isEmpty)
        #expect(step.losses.map(\.kind) == [.value])
        #expect(step.losses.first?.remedy == "@Attribute(default: VALUE)")
    }

    @Test func newOptionalAttributeOnlyAddsColumn() throws {
        let step = try Self.step([Loosened.Note.self])
        #expect(step.losses.isEmpty && step.refusals.isEmpty)
        #expect(StepStatements(step).texts == [#"ALTER TABLE "Note" ADD COLUMN "more" INTEGER"#])
    }

    @Test func addingEnumerationAndUniqueConstraintMayLoseData() throws {
        #expect(try Self.step([Constrained.Note.self]).losses.map(\.kind) == [.value, .duplicate])
        // A file in format 1 does not record the Swift types with which it was written.
        #expect(try Self.step([Constrained.Note.self], isFirstFormat: true).losses.map(\.kind) == [.duplicate])
    }

    @Test func migrationToSameModelHasNoSteps() throws {
        #expect(try Self.step([Old.Note.self]).isEmpty)
    }
}
#endif
