#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests that code of the caller that object storage calls may use any storage, and may wait for other threads that do so.
///
/// Each type of code runs in a hook. The hook is removed before it is called, so that its own reads do not call it again.
@Suite(.serialized, .timeLimit(.minutes(2)), .expectsIssues(.notConvertible)) struct ReentrancyTests {
    /// The types of caller code that object storage calls.
    enum Kind: CaseIterable, Sendable {
        case initializer, deinitializer, keyPath, decoding
    }

    static let hooks = Box<[Kind: @Sendable () -> Void]>([:])

    /// Calls the hook for a type of code once.
    @discardableResult static func called(_ kind: Kind) -> Int {
        let hook = hooks.update { $0.removeValue(forKey: kind) }
        hook?()
        return 0
    }

    /// A value whose decoding calls a hook.
    struct Coded: Codable, Sendable, Equatable {
        var number: Int
        init(_ number: Int) { self.number = number }
        init(from decoder: any Decoder) throws {
            ReentrancyTests.called(.decoding)
            number = try decoder.singleValueContainer().decode(Int.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(number)
        }
    }

    struct Plain: Sendable, Equatable {
        var number: Int
        var coded: Coded
    }

    @Entity(bridges: Plain.self) final class Entry {
        @Attribute(.unique) var number: Int = 0
        var coded: Coded = Coded(0)
        @Attribute(.transient) var seen = ReentrancyTests.called(.initializer)
        @Relationship var owner: Owner?
        var computed: Int {
            ReentrancyTests.called(.keyPath)
            return number
        }
        deinit { ReentrancyTests.called(.deinitializer) }
    }

    @Entity final class Owner {
        var name: String = ""
        @Relationship(inverse: \Entry.owner) var entries: [Entry]
    }

    private static let model = ObjectModel([Entry.self, Owner.self])

    /// Runs `body` with a manager that contains three entries and their owner.
    private func withEntries(_ body: (SQLiteStorageManager) async throws -> Void) async throws {
        Self.hooks.value = [:]
        defer { Self.hooks.value = [:] }
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                let owner = try storage.insertNewObject(ofType: Owner.self)
                owner.name = "owner"
                for number in 1...3 {
                    let entry = try storage.insertNewObject(ofType: Entry.self)
                    entry.number = number
                    entry.owner = owner
                }
            }
            try await body(manager)
        }
    }

    /// Counts the entries in the view on this thread, then on another thread.
    ///
    /// - Returns: The two counts. The second one is `nil` if the other thread does not finish within 10 seconds.
    private static func countTwice(_ manager: SQLiteStorageManager) -> [Int?] {
        let own = try? manager.viewStorage.countObjects(ofType: Owner.self)
        let other = Box<Int?>(nil)
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            other.value = try? manager.viewStorage.allObjects(ofType: Owner.self).count
            done.signal()
        }
        _ = done.wait(timeout: .now() + 10)
        return [own, other.value]
    }

    /// Runs `body` with a hook that reads the view on two threads, and expects that both reads finish.
    private func expectFree(
        _ kind: Kind,
        _ manager: SQLiteStorageManager,
        _ body: () async throws -> Void
    ) async throws {
        let counts = Box<[Int?]>([])
        Self.hooks.value = [kind: { counts.value = Self.countTwice(manager) }]
        try await body()
        #expect(counts.value == [1, 1])
    }

    @Test func transformCanReadViewAndManager() async throws {
        try await withEntries { manager in
            let values = try await manager.fetchValues(ObjectRequest<Entry>(\.number < 3)) { entry in
                let counts = Self.countTwice(manager)
                let isIntact = try manager.verify().isIntact
                return [
                    entry.number, counts[0] ?? -1, counts[1] ?? -1, isIntact ? 1 : 0, entry.owner?.entries.count ?? 0,
                ]
            }
            #expect(values == [[1, 1, 1, 1, 3], [2, 1, 1, 1, 3]])
        }
    }

    @Test func concurrentTransformsCanReadView() async throws {
        try await withEntries { manager in
            // These are more transforms than GRDB has readers, and all of them are between two reads at the same time.
            let count = 6
            let (arrived, everyone) = (Box(0), DispatchSemaphore(value: 0))
            try await withThrowingTaskGroup(of: [Int?].self) { group in
                for _ in 0..<count {
                    group.addTask {
                        try await manager.fetchValues(ObjectRequest<Entry>(\.number == 1)) { _ in
                            if arrived.update({
                                $0 += 1; return $0
                            }) == count {
                                for _ in 0..<count { everyone.signal() }
                            }
                            _ = everyone.wait(timeout: .now() + 10)
                            return try? manager.viewStorage.countObjects(ofType: Entry.self)
                        }
                    }
                }
                for try await counts in group { #expect(counts == [3]) }
            }
            #expect(arrived.value == count)
        }
    }

    @Test func fetchedValuesComeFromSingleSnapshot() async throws {
        try await withEntries { manager in
            let isSaved = DispatchSemaphore(value: 0)
            let values = try await manager.fetchValues(ObjectRequest<Entry>(sortedBy: [SortDescriptor(\.number)])) {
                entry in
                if entry.number == 1 {
                    manager.performAndSave(
                        { try $0.deleteAllObjects(ofType: Owner.self) },
                        completion: { isSaved.signal() },
                        on: .global()
                    )
                    isSaved.wait()
                }
                return entry.owner?.name
            }
            #expect(values == ["owner", "owner", "owner"])
            #expect(try manager.viewStorage.countObjects(ofType: Owner.self) == 0)
        }
    }

    @Test func decodingStructsCanReadView() async throws {
        try await withEntries { manager in
            try await expectFree(.decoding, manager) {
                let values = try await manager.fetchValues(ObjectRequest<Entry>())
                #expect(values.map(\.number) == [1, 2, 3])
            }
        }
    }

    @Test func decodingDuringVerifyCanReadView() async throws {
        try await withEntries { manager in
            try await expectFree(.decoding, manager) {
                let problems = try manager.verify().problems
                #expect(problems == [])
            }
        }
    }

    @Test func objectInitializerCanReadView() async throws {
        try await withEntries { manager in
            try await expectFree(.initializer, manager) {
                let entries = try manager.viewStorage.allObjects(ofType: Entry.self)
                #expect(entries.map(\.number) == [1, 2, 3])
                let again = try manager.viewStorage.allObjects(ofType: Entry.self)
                #expect(again.elementsEqual(entries, by: { $0 === $1 }))
            }
        }
    }

    /// The calls by which the view creates an instance.
    enum Way: CaseIterable { case toMany, load, fetchByRelationship, prefetch }

    @Test(arguments: Way.allCases)
    func objectInitializerCanReadViewOnEveryAccess(_ way: Way) async throws {
        try await withEntries { manager in
            let view = manager.viewStorage
            let owner = try #require(try view.firstObject(ofType: Owner.self))
            let id = try await manager.fetchValues(ObjectRequest<Entry>(\.number == 2)) { $0.objectID }[0]
            try await expectFree(.initializer, manager) {
                switch way {
                case .toMany: #expect(owner.entries.map(\.number) == [1, 2, 3])
                case .load:
                    let entry = try view.loadObject(ofType: Entry.self, with: id)
                    #expect(entry?.number == 2)
                case .fetchByRelationship:
                    let entries = try view.allObjects(ofType: Entry.self, matching: \.owner?.name == "owner")
                    #expect(entries.count == 3)
                case .prefetch:
                    let owners = try view.allObjects(ofType: Owner.self, prefetch: [\.entries])
                    #expect(owners[0].entries.count == 3)
                }
            }
            let again = try view.loadObject(ofType: Entry.self, with: id)
            #expect(owner.entries[1] === again)
        }
    }

    @Test func concurrentObjectAccessReturnsSameInstance() async throws {
        try await withEntries { manager in
            let (first, second) = (Box<ObjectIdentifier?>(nil), Box<ObjectIdentifier?>(nil))
            // The objects are retained, so that no object identifier is reused.
            let held = Box<[any Sendable]>([])
            Self.hooks.value = [
                .initializer: {
                    let entry = try? manager.viewStorage.firstObject(ofType: Entry.self, matching: \.number == 1)
                    first.value = entry.map(ObjectIdentifier.init)
                    nonisolated(unsafe) let kept = entry
                    held.update { $0.append(Kept(object: kept)) }
                }
            ]
            let entry = try manager.viewStorage.firstObject(ofType: Entry.self, matching: \.number == 1)
            second.value = entry.map(ObjectIdentifier.init)
            #expect(first.value != nil && first.value == second.value)
        }
    }

    private struct Kept: @unchecked Sendable {
        // This is safe because the object is never read.
        let object: Entry?
    }

    @Test func objectInitializersCanReadViewOfAnotherManager() async throws {
        try await withEntries { manager in
            try await withStorage(model: Self.model) { other in
                try await other.performAndSave { try $0.insertNewObject(ofType: Entry.self).number = 7 }
                let counts = Box<[Int?]>([])
                Self.hooks.value = [
                    .initializer: {
                        Self.hooks.value = [
                            .initializer: { counts.value = Self.countTwice(manager) }
                        ]
                        let count = try? other.viewStorage.allObjects(ofType: Entry.self).count
                        counts.update { $0.insert(count, at: 0) }
                    }
                ]
                #expect(try manager.viewStorage.allObjects(ofType: Entry.self).count == 3)
                #expect(counts.value == [1, 1, 1])
            }
        }
    }

    @Test func objectDeinitializerCanReadView() async throws {
        try await withEntries { manager in
            #expect(try manager.viewStorage.allObjects(ofType: Entry.self).count == 3)
            try await expectFree(.deinitializer, manager) {
                try await manager.performAndSave { _ = try $0.batchDelete(ofType: Entry.self) }
            }
        }
    }

    @Test func objectDeinitializerCanReadViewDuringSweep() async throws {
        try await withEntries { manager in
            try await manager.performAndSave { storage in
                for number in 10..<5_000 { try storage.insertNewObject(ofType: Entry.self).number = number }
            }
            // The first read creates many objects, and a later one releases them.
            #expect(try manager.viewStorage.allObjects(ofType: Entry.self).count == 4_993)
            _ = try manager.viewStorage.allObjects(ofType: Owner.self)
            try await expectFree(.deinitializer, manager) {
                for _ in 0..<3 { _ = try manager.viewStorage.allObjects(ofType: Owner.self) }
                try await manager.performAndSave { _ = try $0.batchDelete(ofType: Entry.self) }
            }
        }
    }

    @Test func computedPropertyInQueryCanReadView() async throws {
        try await withEntries { manager in
            try await expectFree(.keyPath, manager) {
                // The computed property returns a stored property.
                let sort = [SortDescriptor(\Entry.computed, order: .reverse)]
                let entries = try manager.viewStorage.allObjects(ofType: Entry.self, sortedBy: sort)
                #expect(entries.map(\.number) == [3, 2, 1])
            }
            try await expectFree(.keyPath, manager) {
                let request = ObjectRequest<Entry>(sortedBy: [SortDescriptor(\Entry.computed)])
                let sql = try manager.sql(of: request).sql
                #expect(sql.contains("number"))
            }
        }
    }

    @Test func issueHandlerCanReadView() async throws {
        try await withEntries { manager in
            try await manager.write { try $0.execute(sql: "UPDATE Entry SET coded = 'damaged' WHERE number = 2") }
            let counts = Box<[[Int?]]>([])
            let issues = try await withIssueHandler({ _ in counts.update { $0.append(Self.countTwice(manager)) } }) {
                try await manager.fetchValues(ObjectRequest<Entry>(\.number == 2)).count
            }
            #expect(issues == 1 && counts.value == [[1, 1]])
            try await manager.write { try $0.execute(sql: "UPDATE Entry SET coded = '1' WHERE number = 2") }
        }
    }

    @Test func closeInsidePerformAndSaveFails() async throws {
        try await withEntries { manager in
            let error = try await manager.performAndSave { storage -> ObjectError? in
                _ = try storage.insertNewObject(ofType: Owner.self)
                do { try manager.close() } catch let error as ObjectError { return error }
                return nil
            }
            #expect(error?.code == .busy)
            #expect(try manager.viewStorage.countObjects(ofType: Owner.self) == 2)
        }
    }

    @Test func resetInsidePerformAndSaveFails() async throws {
        try await withEntries { manager in
            let error = try await manager.performAndSave { _ -> ObjectError? in
                do { try manager.reset() } catch let error as ObjectError { return error }
                return nil
            }
            #expect(error?.code == .busy)
            let written = try await manager.write { _ -> ObjectError? in
                do { try manager.reset() } catch let error as ObjectError { return error }
                return nil
            }
            #expect(written?.code == .busy)
            try manager.reset()
            #expect(try manager.viewStorage.countObjects(ofType: Owner.self) == 0)
        }
    }

    @Test func closeInsideTransformClosesManager() async throws {
        try await withEntries { manager in
            // Another manager is closed, because `withStorage` verifies its own manager afterward.
            let other = try SQLiteStorageManager(inMemory: Self.model)
            try await other.performAndSave { try $0.insertNewObject(ofType: Entry.self).number = 1 }
            let values = try await other.fetchValues(ObjectRequest<Entry>()) { entry in
                try other.close()
                return entry.number
            }
            #expect(values == [1])
            #expect(throws: ObjectError.self) { try other.viewStorage.countObjects(ofType: Entry.self) }
        }
    }
}
#endif
