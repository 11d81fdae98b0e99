#if Objects
import Foundation
import LarderObjects
import Testing

/// A list of a manager's view, for tests that run on other threads.
final class LiveList<T: Object>: @unchecked Sendable {
    // The class is safe to send because the controller is used only on the view's queue.
    private let manager: SQLiteStorageManager
    private var controller: ResultsController<T>?
    private let screen = Screen()

    init(
        _ manager: SQLiteStorageManager,
        _ request: @autoclosure @escaping @Sendable () -> ObjectRequest<T> = ObjectRequest(),
        sectionBy section: @autoclosure @escaping @Sendable () -> SortDescriptor<T>? = nil,
        title: (@Sendable (SectionValue) -> String)? = nil
    ) async throws {
        self.manager = manager
        try await manager.withView { view in
            let controller = try view.results(request(), sectionBy: section(), title: title)
            self.screen.show(controller.snapshot)
            controller.delegate = self.screen
            self.controller = controller
        }
    }

    /// Runs `body` with the controller on the view's queue.
    func read<Result: Sendable>(
        _ body: @escaping @Sendable (ResultsController<T>) throws -> Result
    ) async throws -> Result {
        try await manager.withView { _ in try body(#require(self.controller)) }
    }

    /// Runs `body` with the controller.
    ///
    /// The caller must be on the view's queue.
    func readHere<Result>(_ body: (ResultsController<T>) throws -> Result) throws -> Result {
        try body(#require(controller))
    }

    var snapshot: ResultsSnapshot { get async throws { try await read { $0.snapshot } } }

    /// The titles of the sections with the number of objects of each.
    var sections: [String] {
        get async throws { try await snapshot.sections.map { "\($0.title): \($0.ids.count)" } }
    }

    /// Returns a value of each object, by section.
    func values<Value: Sendable>(_ value: @escaping @Sendable (T) -> Value) async throws -> [[Value]] {
        try await read { controller in
            try controller.snapshot.sections.indices.map { try controller.objects(in: $0).map(value) }
        }
    }

    /// Removes and returns the delegate's calls since the last call.
    func calls() async throws -> [String] { try await read { _ in self.screen.takeCalls() } }

    /// Checks that the delegate's calls have led to the controller's snapshot, and that the snapshot is equal to a new list.
    func check(
        _ request: @autoclosure @escaping @Sendable () -> ObjectRequest<T>,
        sectionBy section: @autoclosure @escaping @Sendable () -> SortDescriptor<T>? = nil
    ) async throws {
        try await manager.withView { view in
            let controller = try #require(self.controller)
            #expect(self.screen.problems == [])
            #expect(self.screen.snapshot == controller.snapshot)
            #expect(try view.results(request(), sectionBy: section()).snapshot == controller.snapshot)
        }
    }

    /// Ends the list.
    func release() async throws {
        try await manager.withView { _ in self.controller = nil }
    }
}

/// A delegate that shows a list like a list view: it knows only the calls, and checks their order.
final class Screen: ResultsControllerDelegate {
    struct Section: Equatable {
        var title: String
        var ids: [ObjectID]
    }
    /// The steps of a change, in their order.
    private enum Step: Int, Comparable {
        case none, began, deletedSections, insertedSections, deletions, insertions, moves, updates
        static func < (first: Step, second: Step) -> Bool { first.rawValue < second.rawValue }
    }

    private(set) var sections: [Section] = []
    private(set) var snapshot: ResultsSnapshot?
    private(set) var problems: [String] = []
    private var calls: [String] = []
    private var step = Step.none
    private var removed: [ResultsPath] = []
    private var inserted: [(path: ResultsPath, id: ObjectID)] = []
    private var removedSections: [Int] = []
    private var insertedSections: [(index: Int, title: String)] = []
    private var updates: [(path: ResultsPath, id: ObjectID)] = []

    func show(_ snapshot: ResultsSnapshot) {
        self.snapshot = snapshot
        sections = snapshot.sections.map { Section(title: $0.title, ids: Array($0.ids)) }
    }

    func takeCalls() -> [String] {
        defer { calls = [] }
        return calls
    }

    private func expect(_ condition: Bool, _ problem: String) {
        if !condition { problems.append(problem) }
    }

    private func enter(_ next: Step, _ call: String) {
        expect(step != .none && step <= next, "\(call) follows step \(step)")
        step = max(step, next)
        calls.append(call)
    }

    func resultsWillChange(_ changes: ResultsChanges) {
        expect(step == .none, "a change begins inside another one")
        step = .began
        calls.append("begin")
    }

    func resultsDidChangeSection(_ change: SectionEvent) {
        switch change {
        case .delete(let index):
            enter(.deletedSections, "delete section \(index)")
            expect(removedSections.last.map { $0 > index } ?? true, "deleted sections do not descend")
            removedSections.append(index)
        case .insert(let index, let title):
            enter(.insertedSections, "insert section \(index) \(title)")
            expect(insertedSections.last.map { $0.index < index } ?? true, "inserted sections do not ascend")
            insertedSections.append((index, title))
        }
    }

    func resultsDidChangeObject(_ id: ObjectID, _ change: ObjectEvent) {
        func text(_ path: ResultsPath) -> String { "\(path.section).\(path.item)" }
        switch change {
        case .delete(let path):
            enter(.deletions, "delete \(text(path))")
            expect(removed.last.map { $0 > path } ?? true, "deletions do not descend")
            expect(id == sections[path.section].ids[path.item], "deleted \(id) is not at its path")
            removed.append(path)
        case .insert(let path):
            enter(.insertions, "insert \(text(path))")
            expect(inserted.last.map { $0.path < path } ?? true, "insertions do not ascend")
            inserted.append((path, id))
        case .move(let from, let to, _):
            enter(.moves, "move \(text(from)) to \(text(to))")
            expect(id == sections[from.section].ids[from.item], "moved \(id) is not at its path")
            removed.append(from)
            inserted.append((to, id))
        case .update(let path, let properties):
            enter(.updates, "update \(text(path)) \(properties?.sorted().joined(separator: ",") ?? "?")")
            updates.append((path, id))
        }
    }

    func resultsDidChange(_ snapshot: ResultsSnapshot, _ changes: ResultsChanges) {
        calls.append("end")
        for path in removed.sorted(by: >) { sections[path.section].ids.remove(at: path.item) }
        for index in removedSections {
            expect(sections[index].ids.isEmpty, "a deleted section has objects")
            sections.remove(at: index)
        }
        for section in insertedSections { sections.insert(Section(title: section.title, ids: []), at: section.index) }
        for insertion in inserted.sorted(by: { $0.path < $1.path }) {
            sections[insertion.path.section].ids.insert(insertion.id, at: insertion.path.item)
        }
        for update in updates {
            expect(
                sections[update.path.section].ids[update.path.item] == update.id,
                "an updated object is not at its path"
            )
        }
        expect(self.snapshot?.applying(changes) == snapshot, "the changes do not lead to the snapshot")
        expect(
            sections == snapshot.sections.map { Section(title: $0.title, ids: Array($0.ids)) },
            "the calls do not lead to the snapshot"
        )
        (removed, inserted, removedSections, insertedSections, updates) = ([], [], [], [], [])
        self.snapshot = snapshot
        step = .none
    }
}

/// The stored order of a status, which lets a list be divided by it.
extension Status: Comparable {
    static func < (first: Status, second: Status) -> Bool { first.rawValue < second.rawValue }
}

/// Objects for the tests of lists.
enum Orders {
    /// Inserts orders with the given numbers, whose status and quantity are derived from the number by default.
    @discardableResult
    static func insert(
        _ numbers: [Int64],
        _ manager: SQLiteStorageManager,
        _ change: @escaping @Sendable (Order) -> Void = { _ in }
    ) async throws -> [ObjectID] {
        try await manager.performAndSave { storage in
            try numbers.map { number in
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = number
                change(order)
                return order.objectID
            }
        }
    }

    /// Changes the order with a number.
    static func change(
        _ number: Int64,
        _ manager: SQLiteStorageManager,
        _ change: @escaping @Sendable (Order) throws -> Void
    ) async throws {
        try await manager.performAndSave { storage in
            for order in try storage.allObjects(ofType: Order.self, matching: \.number == number) { try change(order) }
        }
    }

    static func delete(_ number: Int64, _ manager: SQLiteStorageManager) async throws {
        try await manager.performAndSave { storage in
            for order in try storage.allObjects(ofType: Order.self, matching: \.number == number) {
                try storage.deleteObject(order)
            }
        }
    }

    /// The orders sorted by number.
    static var byNumber: ObjectRequest<Order> { ObjectRequest(sortedBy: [SortDescriptor(\.number)]) }
}
#endif
