#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestSupport
import Synchronization
import Testing

extension RandomResultsTests {
    /// Lists of values, which are made on other threads, follow saves in turns of random lengths.
    @Test func valuesPlusChangesEqualFetch() async throws {
        let manager = try SQLiteStorageManager(
            inMemory: Shop.model,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        let saves = Torture.saves / 8
        var random = SplitMix64(seed: ~Torture.seed)
        let others = (0..<3).map { _ in ListShape(seed: random.next()) }
        var lists = (ListShape.all + others).enumerated().map { FollowedValues($1, withRelated: $0 % 3 == 0, manager) }
        var (save, updates, shapes) = (0, 0, lists.count)
        while save < saves {
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                try await RandomOrders(seed: random.next()).save(in: manager)
                save += 1
            }
            let expected = try await manager.withView { [lists] view in
                let orders = try view.allObjects(ofType: Order.self)
                return lists.map { $0.expected(orders) }
            }
            for (list, expected) in zip(lists, expected) {
                try await waitUntil("\(list.shape.name), seed \(Torture.seed), save \(save)") {
                    !list.problems.isEmpty || list.shown == expected
                }
            }
            let problems = lists.flatMap(\.problems)
            #expect(problems == [], "seed \(Torture.seed), save \(save)")
            if !problems.isEmpty { break }
            let last = lists.removeLast()
            await last.cancel()
            updates += last.updates
            lists.insert(FollowedValues(.any(seed: random.next()), withRelated: shapes % 3 == 0, manager), at: 0)
            shapes += 1
        }
        updates += lists.reduce(0) { $0 + $1.updates }
        Torture.say("\(save) saves followed by \(lists.count) of \(shapes) lists of values, \(updates) updates")
        #expect(save < 500 || updates > save / 4)
        #expect(try manager.verify().problems == [])
        try manager.close()
        for list in lists { await list.end() }
        #expect(lists.flatMap(\.problems) == [])
    }
}

/// A list of values, and a task that applies all changes to the values that it received first.
private final class FollowedValues: Sendable {
    typealias Sections = [[OrderContent]]

    fileprivate struct State {
        var snapshot: ValuesSnapshot<OrderContent>?
        /// The values by row ids, of which only those that are reported are replaced.
        var values: [Int64: OrderContent] = [:]
        var updates = 0
        var problems: [String] = []
    }

    let shape: ListShape
    private let withRelated: Bool
    private let state: SharedState
    private let task: Task<Void, Never>

    /// A state that the task shares with the test.
    private final class SharedState: Sendable {
        private let state = Mutex(State())

        func read<Value: Sendable>(_ body: (State) -> Value) -> Value { state.withLock { body($0) } }

        func add(_ problem: String) { state.withLock { $0.problems.append(problem) } }

        func apply(_ update: ValuesUpdate<OrderContent>) { state.withLock { $0.apply(update) } }
    }

    init(_ shape: ListShape, withRelated: Bool, _ manager: SQLiteStorageManager) {
        self.shape = shape
        self.withRelated = withRelated
        let state = SharedState()
        self.state = state
        let updates = manager.results(shape.limitedRequest, sectionBy: shape.section()) {
            OrderContent($0, withRelated: withRelated)
        }
        task = Task {
            do {
                for try await update in updates { state.apply(update) }
            } catch {
                state.add("\(shape.name): \(error)")
            }
        }
    }

    /// The values by section, or `nil` before the first element.
    var shown: Sections? {
        state.read { state in
            state.snapshot.map { snapshot in
                snapshot.list.sections.map { section in section.ids.compactMap { state.values[$0.rowID] } }
            }
        }
    }

    var updates: Int { state.read(\.updates) }
    var problems: [String] { state.read { state in state.problems.map { "\(self.shape.name): \($0)" } } }

    /// Returns the values that the list must show.
    func expected(_ orders: [Order]) -> Sections {
        let contents = Dictionary(orders.map { ($0.objectID, OrderContent($0, withRelated: withRelated)) }) { $1 }
        return shape.list(of: orders).map { $0.ids.compactMap { contents[$0] } }
    }

    /// Waits for the end of the sequence.
    func end() async { await task.value }

    /// Ends the list.
    func cancel() async {
        task.cancel()
        await task.value
    }
}

extension FollowedValues.State {
    fileprivate mutating func apply(_ update: ValuesUpdate<OrderContent>) {
        let (new, changes) = (update.snapshot, update.changes)
        defer { snapshot = new }
        guard let old = snapshot?.list else {
            for id in new.list.ids { values[id.rowID] = new.value(of: id) }
            return
        }
        updates += 1
        if changes.isEmpty { problems.append("an update is empty") }
        if old.applying(changes) != new.list { problems.append("the changes do not lead to the new snapshot") }
        for id in changes.objectsThatLeave(old) { values[id.rowID] = nil }
        for id in changes.objectsToRead { values[id.rowID] = new.value(of: id) }
        let outdated = new.list.ids.filter { values[$0.rowID] != new.value(of: $0) }
        if !outdated.isEmpty { problems.append("the changes of \(outdated) were not reported") }
        if new.values.count != new.count { problems.append("a value is missing") }
    }
}
#endif
