#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of invalid models, for which opening a database must not create a file.
@Suite struct ModelTests {
    enum NoInverse {
        @Entity final class A { @Relationship var b: B? }
        @Entity final class B { var name = "" }
    }
    enum Doubled {
        @Entity final class A {
            @Relationship(inverse: \B.a) var first: B?
            @Relationship(inverse: \B.a) var second: B?
        }
        @Entity final class B { @Relationship var a: A? }
    }
    enum Mistyped {
        @Entity final class A { @Relationship(inverse: \B.c) var b: B? }
        @Entity final class B { @Relationship var c: C? }
        @Entity final class C { @Relationship var other: [C] }
    }
    enum NoRelationship {
        @Entity final class A { @Relationship(inverse: \B.name) var b: B? }
        @Entity final class B { var name = "" }
    }
    enum OrderedOne {
        @Entity final class A { @Relationship(inverse: \B.a, ordered: true) var b: B? }
        @Entity final class B { @Relationship var a: A? }
    }
    enum Constraints {
        @Entity(unique: [["nme"]], indexes: [["bs"], []]) final class A {
            var name = ""
            @Relationship(inverse: \B.a) var bs: [B]
        }
        @Entity final class B { @Relationship var a: A? }
    }
    enum Names {
        @Entity final class Note {
            var text = ""
            // swift-format-ignore: AlwaysUseLowerCamelCase
            var Text = ""
            // swift-format-ignore: AlwaysUseLowerCamelCase
            var larder_text = ""
        }
        @Entity final class note { var text = "" }
    }

    enum Options {
        @Entity final class Renamed {
            @Attribute(was: "text") var text = ""
            @Attribute(was: "old") var first = ""
            @Attribute(was: "old") var second = ""
        }
        @Entity final class Searched { @Attribute(.searchable) var number = 0 }
    }
    class Plain { var stored = 0 }
    enum Inheriting {
        @Entity final class A: Plain { var name = "" }
        @Entity final class B: NSObject { var name = "" }
        @Entity final class C: CustomStringConvertible {
            var name = ""
            var description: String { name }
        }
    }

    /// Returns the problems that opening an invalid model reports, and checks that no file was created.
    private func problems(_ types: [any Object.Type], version: Int = 1) async throws -> [String] {
        try await withTemporaryFolder { folder in
            let error = #expect(throws: ObjectError.self) {
                _ = try SQLiteStorageManager(model: ObjectModel(types, version: version), name: "wrong", in: folder)
            }
            #expect(error?.code == .invalidModel)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(files == [])
            return error?.problems ?? []
        }
    }

    @Test func relationshipWithoutInverseIsReported() async throws {
        let problems = try await problems([NoInverse.A.self, NoInverse.B.self])
        #expect(problems.count == 1 && problems[0].hasPrefix("A.b has no inverse"))
    }

    @Test func inverseDeclaredTwiceIsReported() async throws {
        let problems = try await problems([Doubled.A.self, Doubled.B.self])
        #expect(problems.count == 1 && problems[0].contains("already has an inverse"))
    }

    @Test func inverseOfAnotherEntityIsReported() async throws {
        let problems = try await problems([Mistyped.A.self, Mistyped.B.self, Mistyped.C.self])
        #expect(problems.contains { $0.contains("A.b names B.c as its inverse, but that relationship refers to C") })
    }

    @Test func inverseReferringToAttributeIsReported() async throws {
        let problems = try await problems([NoRelationship.A.self, NoRelationship.B.self])
        #expect(problems.count == 1 && problems[0].contains("not a relationship of B"))
    }

    @Test func relationshipToEntityOutsideModelIsReported() async throws {
        let problems = try await problems([NoInverse.A.self])
        #expect(problems.count == 1 && problems[0].contains("refers to B, which is not in the model"))
    }

    @Test func orderedToOneRelationshipIsReported() async throws {
        let problems = try await problems([OrderedOne.A.self, OrderedOne.B.self])
        #expect(problems.count == 1 && problems[0].contains("is ordered but is to-one"))
    }

    @Test func constraintsOnMissingPropertiesAreReported() async throws {
        #expect(try await problems([Constraints.A.self, Constraints.B.self]).count == 3)
    }

    @Test func namesDifferingOnlyInCaseAreReported() async throws {
        #expect(try await problems([Names.Note.self, Names.note.self]).count == 3)
    }

    @Test func invalidFormerNamesAreReported() async throws {
        let problems = try await problems([Options.Renamed.self])
        #expect(
            problems == [
                "Renamed.text declares its own name as a former name. Remove \"was\".",
                "Renamed.second and Renamed.first have the same former name, \"old\". Remove \"was\" from one of them.",
            ]
        )
    }

    @Test func searchableNonStringIsReported() async throws {
        let problems = try await problems([Options.Searched.self])
        #expect(
            problems == [
                "Searched.number is searchable, but is not a String. Remove the option `searchable`, or change the type."
            ]
        )
    }

    @Test func entityWithSuperclassIsReported() async throws {
        let problems = try await problems([Inheriting.A.self, Inheriting.B.self, Inheriting.C.self])
        #expect(problems.count == 2)
        #expect(problems.first?.hasPrefix("A inherits from ") == true && problems.first?.contains("Plain") == true)
        #expect(problems.last?.hasPrefix("B inherits from ") == true && problems.last?.contains("NSObject") == true)
    }

    @Test func singleErrorListsAllModelProblems() async throws {
        let types: [any Object.Type] = [NoInverse.A.self, NoInverse.A.self, OrderedOne.B.self]
        #expect(try await problems(types, version: 0).count > 3)
    }

    @Test func fetchingEntityOutsideModelFails() async throws {
        try await withStorage(model: ObjectModel([NoInverse.B.self])) { manager in
            let error = #expect(throws: ObjectError.self) { try manager.viewStorage.countObjects(ofType: Tag.self) }
            #expect(error?.code == .invalidModel)
        }
    }
}
#endif
