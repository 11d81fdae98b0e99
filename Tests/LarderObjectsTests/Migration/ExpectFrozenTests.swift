#if Objects
import Foundation
import LarderObjects
import LarderTesting
import Testing

/// Checks that a model and its frozen versions agree.
@Suite struct ExpectFrozenTests {
    enum First {
        @Entity final class Note {
            var title = ""
            var fax: String?
        }
        static let model = ObjectModel([Note.self])
    }
    enum Second {
        @Entity final class Note {
            var title = ""
            var fax: String?
            var text: String?
        }
    }
    enum Dropping {
        @Entity(dropping: ["fax"]) final class Note {
            var title = ""
            var text: String?
        }
    }
    enum Silent {
        @Entity final class Note {
            var title = ""
            var text: String?
            var page: Int
        }
    }

    private let first = First.model
    private let second = ObjectModel([Second.Note.self], version: 2)

    private func problem(_ model: ObjectModel, _ folder: URL, unused: Set<Int> = []) -> FrozenModelProblem? {
        let problem = #expect(throws: FrozenModelProblem.self) { try expectFrozen(model, in: folder, unused: unused) }
        if let problem { #expect(problem.description.hasSuffix(".") || problem.description.contains("\n- ")) }
        return problem
    }

    @Test func expectFrozenAcceptsFrozenModel() async throws {
        try await withTemporaryFolder { folder in
            try first.freeze(in: folder)
            try expectFrozen(first, in: folder)
            try second.freeze(in: folder)
            try expectFrozen(second, in: folder)
            let plan = MigrationPlan(versions: .files(in: folder))
            let third = ObjectModel([Dropping.Note.self], version: 3, plan: plan)
            try third.freeze(in: folder)
            try expectFrozen(third, in: folder)
        }
    }

    @Test func changedModelRequiresNewVersion() async throws {
        try await withTemporaryFolder { folder in
            try first.freeze(in: folder)
            let changed = problem(ObjectModel([Second.Note.self]), folder)
            #expect(changed == .changed(version: 1, changes: ["add Note.text"]))
            #expect(changed?.description.contains("increase the model's version to 2") == true)
            let dropping = ObjectModel([First.Note.self], dropped: ["Old"])
            #expect(
                problem(dropping, folder)
                    == .changed(version: 1, changes: ["change the declarations or the type of an attribute"])
            )
        }
    }

    @Test func versionWithoutFrozenModelFileIsReported() async throws {
        try await withTemporaryFolder { folder in
            #expect(problem(first, folder.appendingPathComponent("none")) == .missing(version: 1))
            #expect(problem(first, folder) == .missing(version: 1))
            try first.freeze(in: folder)
            #expect(problem(second, folder) == .missing(version: 2))
            let third = ObjectModel([Second.Note.self], version: 3)
            try third.freeze(in: folder)
            #expect(problem(third, folder) == .missing(version: 2))
            try expectFrozen(third, in: folder, unused: [2])
            #expect(
                problem(ObjectModel([Second.Note.self], version: 4), folder, unused: [2, 4]) == .missing(version: 4)
            )
        }
    }

    @Test func duplicateMisnamedOrNewerFrozenModelFileIsReported() async throws {
        try await withTemporaryFolder { folder in
            let file = try first.freeze(in: folder)
            let copy = folder.appendingPathComponent("v01.json")
            try FileManager.default.copyItem(at: file, to: copy)
            #expect(problem(first, folder) == .equalVersions(1, files: ["v01.json", "v1.json"]))
            try FileManager.default.removeItem(at: copy)
            let other = folder.appendingPathComponent("v3.json")
            try FileManager.default.moveItem(at: file, to: other)
            #expect(problem(first, folder) == .misnamed(file: "v3.json", version: 1))
            try FileManager.default.moveItem(at: other, to: file)
            try second.freeze(in: folder)
            #expect(problem(first, folder) == .higher(version: 2, modelVersion: 1))
        }
    }

    @Test func frozenVersionMissingFromPlanIsReported() async throws {
        try await withTemporaryFolder { folder in
            try first.freeze(in: folder)
            let plan = MigrationPlan(versions: .models([]))
            let model = ObjectModel([Second.Note.self], version: 2, plan: plan)
            try model.freeze(in: folder)
            #expect(problem(model, folder) == .unplanned(version: 1))
        }
    }

    @Test func stepWithUndeclaredDataLossIsReported() async throws {
        try await withTemporaryFolder { folder in
            try first.freeze(in: folder)
            func model(_ stages: [MigrationStage]) -> ObjectModel {
                let plan = MigrationPlan(versions: .files(in: folder), stages: stages)
                return ObjectModel([Silent.Note.self], version: 2, plan: plan)
            }
            try model([]).freeze(in: folder)
            for undecided in [model([]), ObjectModel([Silent.Note.self], version: 2)] {
                guard case .undecided(1, 2, let losses, let refusals)? = problem(undecided, folder) else {
                    Issue.record("The step is not reported as undecided.")
                    continue
                }
                #expect(losses.map(\.property) == ["fax"] && losses.first?.remedy == "@Entity(dropping: [\"fax\"])")
                #expect(refusals.count == 1 && refusals.first?.hasPrefix("Note.page is new and not optional") == true)
            }
            let stage = MigrationStage(from: 1, to: 2) { migration in
                try migration.forEachNew("Note") { $0["page"] = 1 }
            }
            try expectFrozen(model([stage]), in: folder)
            let error = #expect(throws: ObjectError.self) {
                try expectFrozen(model([MigrationStage(from: 0, to: 2) { _ in }]), in: folder)
            }
            #expect(error?.code == .invalidModel)
        }
    }

    @Test func corruptFrozenModelFileIsReported() async throws {
        try await withTemporaryFolder { folder in
            let file = try first.freeze(in: folder)
            let text = try String(contentsOf: file, encoding: .utf8).replacing("title", with: "titel")
            try Data(text.utf8).write(to: file)
            let error = #expect(throws: ObjectError.self) { try expectFrozen(first, in: folder) }
            #expect(error?.code == .invalidModel && error?.path == file.path)
        }
    }
}
#endif
