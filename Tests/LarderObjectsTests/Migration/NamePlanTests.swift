#if Objects
@testable import LarderObjects
import Testing

/// Tests of the order in which tables or columns are renamed.
@Suite struct NamePlanTests {
    private static func moves(_ renames: [(old: String, new: String?)], _ taken: Set<String>) -> [String] {
        NamePlan(renames, taken: taken).moves.map { "\($0.from) \($0.to)" }
    }

    @Test func renameToUnusedNameNeedsNoTemporaryName() {
        #expect(Self.moves([("a", "b"), ("c", "c")], ["a", "c"]) == ["a b"])
    }

    @Test func chainedRenamesRunInReverseOrder() {
        #expect(Self.moves([("a", "b"), ("b", "c")], ["a", "b"]) == ["b c", "a b"])
    }

    @Test func swappedNamesUseTemporaryName() {
        #expect(Self.moves([("a", "b"), ("b", "a")], ["a", "b", "Larder_1"]) == ["a larder_2", "b a", "larder_2 b"])
    }

    @Test func caseOnlyRenameUsesTemporaryName() {
        #expect(Self.moves([("note", "Note")], ["note"]) == ["note larder_1", "larder_1 Note"])
    }

    @Test func droppedTableIsRenamedToFreeName() {
        #expect(Self.moves([("a", nil), ("b", "a")], ["a", "b"]) == ["a larder_1", "b a"])
        let plan = NamePlan([("a", "b"), ("b", "a")], taken: ["a", "b"])
        #expect(plan.name(of: "a") == "b" && plan.name(of: "b") == "a" && plan.name(of: "c") == "c")
    }
}
#endif
