#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestTraits
import LarderTesting
import Testing

/// Tests of the delegate's calls and their order.
@Suite struct ResultsDelegateTests {
    @Test func sectionsComeBeforeObjects() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager) { $0.status = $0.number == 1 ? .paid : .pending }
            let list = try await LiveList(manager, Orders.byNumber, sectionBy: SortDescriptor(\.status))
            try await manager.performAndSave { storage in
                for order in try storage.allObjects(ofType: Order.self) {
                    if order.number == 1 { try storage.deleteObject(order) } else { order.note = "gift" }
                }
                let order = try storage.insertNewObject(ofType: Order.self)
                (order.number, order.status) = (3, .sent)
            }
            #expect(
                try await list.calls() == [
                    "begin", "delete section 0", "insert section 1 sent", "delete 0.0", "insert 1.0", "update 0.0 note",
                    "end",
                ]
            )
            try await list.check(Orders.byNumber, sectionBy: SortDescriptor(\.status))
        }
    }

    @Test func moveIsOneCall() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2, 3], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            try await Orders.change(3, manager) { ($0.number, $0.note) = (0, "first") }
            #expect(try await list.calls() == ["begin", "move 0.2 to 0.0", "end"])
        }
    }

    @Test func changedKeyInSamePlaceIsUpdate() async throws {
        try await withStorage { manager in
            try await Orders.insert([10, 20, 30], manager)
            let list = try await LiveList(manager, Orders.byNumber)
            try await Orders.change(20, manager) { $0.number = 25 }
            #expect(try await list.calls() == ["begin", "update 0.1 number", "end"])
        }
    }

    @Test func delegateSeesNewSnapshotOfEveryList() async throws {
        try await withStorage { manager in
            let counts = Box<[Int]>([])
            let keeper = Keeper()
            try await manager.withView { view in
                for _ in 0..<2 {
                    let controller = try view.results(Orders.byNumber)
                    let reader = Reader { counts.value += keeper.controllers.map(\.snapshot.count) }
                    controller.delegate = reader
                    keeper.add(controller, reader)
                }
            }
            try await Orders.insert([1], manager)
            #expect(counts.value == [1, 1, 1, 1])
            try await manager.withView { _ in keeper.removeAll() }
        }
    }

    @Test func requestReplacedByDelegateFollowsCurrentCalls() async throws {
        try await withStorage { manager in
            try await Orders.insert([1, 2], manager)
            let counts = Box<[Int]>([])
            let keeper = Keeper()
            try await manager.withView { view in
                let controller = try view.results(Orders.byNumber)
                let reader = Reader { [unowned controller] in
                    guard counts.value.isEmpty else { return }
                    counts.value.append(0)
                    try? controller.setRequest(ObjectRequest(\.number > 1, sortedBy: [SortDescriptor(\.number)]))
                } didChange: { snapshot, _ in
                    counts.value.append(snapshot.count)
                }
                controller.delegate = reader
                keeper.add(controller, reader)
            }
            try await Orders.insert([3], manager)
            #expect(counts.value == [0, 3, 2])
            try await manager.withView { _ in keeper.removeAll() }
        }
    }

    @Test(.expectsIssues(.repeatedQuery), arguments: 1...8) func listViewFollows(_ seed: UInt64) async throws {
        try await withStorage { manager in
            let list = try await LiveList(
                manager,
                ObjectRequest(
                    \Order.quantity < 8,
                    sortedBy: [SortDescriptor(\.quantity), SortDescriptor(\.total, order: .reverse)]
                ),
                sectionBy: SortDescriptor(\.status)
            )
            var random = SeededGenerator(seed: seed)
            for step in 0..<40 {
                let generator = SeededGenerator(seed: random.next())
                try await manager.performAndSave { storage in
                    var random = generator
                    for number in 0..<Int.random(in: 1...4, using: &random) {
                        let orders = try storage.allObjects(ofType: Order.self)
                        let choice = Int.random(in: 0..<6, using: &random)
                        guard choice > 1, let order = orders.randomElement(using: &random) else {
                            let order = try storage.insertNewObject(ofType: Order.self)
                            order.number = Int64(step * 10 + number)
                            order.quantity = .random(in: 0..<10, using: &random)
                            continue
                        }
                        switch choice {
                        case 2: try storage.deleteObject(order)
                        case 3: order.status = Status.allCases.randomElement(using: &random) ?? .paid
                        case 4: order.quantity = .random(in: 0..<10, using: &random)
                        default: order.note = "\(step)"
                        }
                    }
                }
                try await list.check(
                    ObjectRequest(
                        \Order.quantity < 8,
                        sortedBy: [SortDescriptor(\.quantity), SortDescriptor(\.total, order: .reverse)]
                    ),
                    sectionBy: SortDescriptor(\.status)
                )
            }
        }
    }
}

/// A delegate that calls closures.
private final class Reader: ResultsControllerDelegate {
    private let willChange: () -> Void
    private let didChange: (ResultsSnapshot, ResultsChanges) -> Void

    init(
        willChange: @escaping () -> Void,
        didChange: @escaping (ResultsSnapshot, ResultsChanges) -> Void = { _, _ in }
    ) {
        self.willChange = willChange
        self.didChange = didChange
    }

    func resultsWillChange(_ changes: ResultsChanges) { willChange() }
    func resultsDidChange(_ snapshot: ResultsSnapshot, _ changes: ResultsChanges) { didChange(snapshot, changes) }
}

/// Controllers and delegates that a test retains, used only on the view's queue.
private final class Keeper: @unchecked Sendable {
    // The class is safe to send because it is used only on the view's queue.
    private(set) var controllers: [ResultsController<Order>] = []
    private var delegates: [AnyObject] = []

    func add(_ controller: ResultsController<Order>, _ delegate: AnyObject) {
        controllers.append(controller)
        delegates.append(delegate)
    }

    func removeAll() { (controllers, delegates) = ([], []) }
}
#endif
