#if Objects
@testable import LarderObjects
import LarderTesting
import Testing

/// Tests of a sorted list and the difference between two of its states.
@Suite struct ResultsIndexTests {
    private func key(_ values: Int64..., id: Int64) -> SortKey {
        SortKey(values.map(ColumnValue.integer), descending: values.map { _ in false }, id: id)
    }

    private func path(_ section: Int, _ item: Int) -> ResultsPath { ResultsPath(section: section, item: item) }

    @Test(arguments: 1...20) func randomChangesApply(_ group: UInt64) {
        for seed in (group - 1) * 25..<group * 25 {
            var program = RandomRows(seed: seed)
            var index = ResultsIndex(isSectioned: program.order.isSectioned)
            var snapshot = ResultsSnapshot("Order", index)
            for _ in 0..<25 {
                let (oldRows, oldIndex) = (program.rows, index)
                let changed = program.change()
                let rows = program.rows
                let keys = { (id: Int64) in rows[id].map { program.order.key(id, $0) } }
                let difference =
                    program.isTrue(once: 4)
                    ? index.rebuild(rows.keys.compactMap(keys), updating: changed.contains)
                    : index.apply(changed.map { ResultsIndex.Row(id: $0, key: keys($0)) })
                let old = NaiveList(oldRows, program.order)
                let new = NaiveList(rows, program.order)
                #expect(NaiveList(index) == new && NaiveList(oldIndex) == old, "seed \(seed)")
                let isRight = check(difference, from: old, to: new, Set(oldRows.keys), Set(rows.keys), changed)
                #expect(isRight, "seed \(seed)")
                for id in rows.keys { #expect(index.key(of: id).map { new[index.path(of: $0)] } == id, "seed \(seed)") }

                let next = ResultsSnapshot("Order", index)
                let applied = snapshot.applying(ResultsChanges(difference, in: next) { _ in nil })
                #expect(applied == next && applied.hashValue == next.hashValue, "seed \(seed)")
                snapshot = program.isTrue(once: 2) ? applied : next
            }
        }
    }

    /// Returns whether a difference is complete, minimal in its sections, in the documented order, and names each move and update.
    private func check(
        _ difference: IndexDifference,
        from old: NaiveList,
        to new: NaiveList,
        _ oldIDs: Set<Int64>,
        _ newIDs: Set<Int64>,
        _ changed: Set<Int64>
    ) -> Bool {
        var list = old
        let moves = difference.moves
        let moved = Set(moves.map(\.id))
        let (oldSections, newSections) = (old.sections.map(\.value), new.sections.map(\.value))
        return list.apply(difference, to: new) && list == new
            && difference.deletions == Set(difference.deletions).sorted(by: >)
            && difference.insertions.map(\.path) == Set(difference.insertions.map(\.path)).sorted()
            && difference.deletedSections
                == old.sections.indices.reversed().filter { !newSections.contains(oldSections[$0]) }
            && difference.insertedSections == new.sections.indices.filter { !oldSections.contains(newSections[$0]) }
            && moves.allSatisfy { old[$0.from] == $0.id && new[$0.to] == $0.id }
            && Set(difference.deletions.map { old[$0] }) == oldIDs.subtracting(newIDs).union(moved)
            && Set(difference.insertions.map(\.id)) == newIDs.subtracting(oldIDs).union(moved)
            && Set(difference.updates.map(\.id)) == changed.intersection(oldIDs).intersection(newIDs)
            && difference.updates.allSatisfy { new[$0.path] == $0.id }
    }

    @Test func swapIsOneMove() {
        var index = ResultsIndex([key(1, id: 1), key(2, id: 2)], isSectioned: false)
        let difference = index.apply([.init(id: 1, key: key(2, id: 1)), .init(id: 2, key: key(1, id: 2))])
        #expect(difference.moves.count == 1)
        #expect(difference.deletions.count == 1 && difference.insertions.count == 1)
        #expect(difference.updates.map(\.id) == [2, 1])
    }

    @Test func changedKeyWithoutChangedPlaceIsUpdate() {
        var index = ResultsIndex([key(10, id: 1), key(20, id: 2), key(30, id: 3)], isSectioned: false)
        let difference = index.apply([.init(id: 2, key: key(25, id: 2))])
        #expect(difference.moves.isEmpty && difference.deletions.isEmpty && difference.insertions.isEmpty)
        #expect(difference.updates.map(\.path) == [path(0, 1)])
    }

    @Test func rowThatJumpsOverOthersIsOnlyMove() throws {
        var index = ResultsIndex((1...1_000).map { key($0, id: $0) }, isSectioned: false)
        let difference = index.apply([.init(id: 1, key: key(2_000, id: 1))])
        let move = try #require(difference.moves.first)
        #expect(difference.moves.count == 1 && move.id == 1)
        #expect(move.from == path(0, 0) && move.to == path(0, 999))
    }

    @Test func sectionChangeIsMove() throws {
        var index = ResultsIndex([key(1, 1, id: 1), key(1, 2, id: 2), key(2, 1, id: 3)], isSectioned: true)
        let difference = index.apply([.init(id: 1, key: key(2, 5, id: 1))])
        let move = try #require(difference.moves.first)
        #expect(move.from == path(0, 0) && move.to == path(1, 1))
        #expect(difference.deletedSections.isEmpty && difference.insertedSections.isEmpty)
    }

    @Test func emptiedSectionIsDeleted() {
        var index = ResultsIndex([key(1, 1, id: 1), key(2, 1, id: 2)], isSectioned: true)
        let difference = index.apply([.init(id: 1, key: nil)])
        #expect(difference.deletedSections == [0] && difference.deletions == [path(0, 0)])
        #expect(index.sections.count == 1)
    }

    @Test func onlyRowThatChangesSectionDeletesAndInsertsSection() {
        var index = ResultsIndex([key(1, 1, id: 1), key(2, 1, id: 2)], isSectioned: true)
        let difference = index.apply([.init(id: 1, key: key(3, 1, id: 1))])
        #expect(difference.deletedSections == [0] && difference.insertedSections == [1])
        #expect(difference.moves.count == 1)
    }

    @Test func listWithoutSectionsHasOneSection() {
        var index = ResultsIndex([key(1, id: 1)], isSectioned: false)
        let difference = index.apply([.init(id: 1, key: nil)])
        #expect(difference.deletedSections.isEmpty)
        #expect(ResultsSnapshot("Order", index).sections.map(\.ids.count) == [0])
    }

    @Test func deletionsDescendInsertionsAscend() {
        var index = ResultsIndex((1...4).map { key($0 % 2, $0, id: $0) }, isSectioned: true)
        let difference = index.apply([
            .init(id: 1, key: nil), .init(id: 2, key: nil), .init(id: 4, key: nil),
            .init(id: 6, key: key(7, 1, id: 6)), .init(id: 5, key: key(6, 1, id: 5)),
            .init(id: 7, key: key(1, 0, id: 7)),
        ])
        #expect(difference.deletions == [path(1, 0), path(0, 1), path(0, 0)])
        #expect(difference.insertions.map(\.path) == [path(0, 0), path(1, 0), path(2, 0)])
        #expect(difference.deletedSections == [0] && difference.insertedSections == [1, 2])
    }

    @Test func unknownRowThatStaysOutsideIsIgnored() {
        var index = ResultsIndex([key(1, id: 1)], isSectioned: false)
        #expect(index.apply([.init(id: 9, key: nil)]).isEmpty)
    }

    @Test(arguments: 1...50) func longestIncreasingSubsequenceIsLongest(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let values = (0..<Int.random(in: 0...12, using: &random)).map { _ in Int.random(in: 0..<12, using: &random) }
        let places = IndexDifference.longestIncreasing(values)
        let found = places.map { values[$0] }
        #expect(places == Set(places).sorted() && found == Set(found).sorted())
        let longest = (0..<1 << values.count).map { subset in
            let chosen = values.indices.filter { subset & 1 << $0 != 0 }.map { values[$0] }
            return chosen == Set(chosen).sorted() ? chosen.count : 0
        }
        #expect(found.count == longest.max())
    }
}
#endif
