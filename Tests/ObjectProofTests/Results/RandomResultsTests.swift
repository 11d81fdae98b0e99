#if Objects
import Foundation
import LarderCore
import LarderObjects
import LarderTestSupport
import LarderTestTraits
import Synchronization
import Testing

/// Compares lists that follow random saves with lists that are computed from all objects.
@Suite(.expectsIssues(.repeatedQuery)) struct RandomResultsTests {
    private static let parts: UInt64 = 3

    @Test(arguments: 0..<parts) func snapshotPlusChangesEqualsFetch(_ part: UInt64) async throws {
        let manager = try SQLiteStorageManager(
            inMemory: Shop.model,
            configuration: .init(viewQueue: DispatchQueue(label: "view"))
        )
        let lists = FollowedLists()
        try await manager.withView { try lists.open($0, seed: Torture.seed + part) }
        // The lists of values of `valuesPlusChangesEqualFetch` take the time of the last part.
        let saves = Torture.saves / Int(Self.parts + 1)
        var random = SplitMix64(seed: Torture.seed + part)
        for save in 0..<saves {
            try await RandomOrders(seed: random.next()).save(in: manager)
            if Int.random(in: 0..<15, using: &random) == 0 {
                let seed = random.next()
                try await manager.withView { _ in try lists.replaceRequest(seed) }
            }
            let problems = try await manager.withView { try lists.check($0) }
            #expect(problems == [], "seed \(Torture.seed + part), save \(save)")
            if !problems.isEmpty { break }
        }
        let (moves, shapes) = try await manager.withView { _ in (lists.moves, lists.shapes) }
        Torture.say("\(saves) saves followed by \(FollowedLists.count) of \(shapes) lists, \(moves) moves")
        #expect(saves < 500 || moves > saves / 10)
        try await manager.withView { _ in lists.close() }
        #expect(try manager.verify().problems == [])
        try manager.close()
    }

    /// Lists follow three processes that save at the same time, in turns of random lengths.
    @Test(.timeLimit(.minutes(60))) func threeWritingProcesses() async throws {
        let folder = try TemporaryDirectory()
        let url = folder.url("shop.sqlite")
        let manager = try RandomOrders.open(url.path)
        // The token of the last save that the view has merged, also if lists ignore it.
        let merged = Mutex<HistoryToken?>(nil)
        let changes = manager.changes
        let following = Task { for await change in changes { merged.withLock { $0 = change.token } } }
        let lists = FollowedLists()
        try await manager.withView { try lists.open($0, seed: Torture.seed) }
        let writers = try (0..<3).map {
            try OrderingProcess(url, seed: Torture.seed * 3 + UInt64($0), in: folder, "\($0)")
        }

        var random = SplitMix64(seed: Torture.seed)
        var (saves, turns) = (0, 0)
        while saves < Torture.saves / 3 {
            let start = try manager.historyToken
            for writer in writers {
                let length = Int.random(in: 0...16, using: &random)
                writer.allow(length)
                saves += length
            }
            for writer in writers { try await waitUntil("the turn of a process") { try writer.isFinished } }
            let last = try manager.historyToken
            if last != start { try await waitUntil("the merge of the last save") { merged.withLock { $0 } == last } }
            let problems = try await manager.withView { try lists.check($0) }
            #expect(problems == [], "seed \(Torture.seed), turn \(turns)")
            if !problems.isEmpty { break }
            turns += 1
            if turns % 2 == 0 {
                let seed = random.next()
                try await manager.withView { _ in try lists.replaceRequest(seed) }
            }
        }
        for writer in writers { try writer.finish() }
        let (moves, shapes) = try await manager.withView { _ in (lists.moves, lists.shapes) }
        Torture.say(
            """
            \(saves) saves of three processes in \(turns) turns followed by \(FollowedLists.count) of \(shapes) lists, \
            \(moves) moves
            """
        )
        #expect(saves < 500 || moves > saves / 20)
        try await manager.withView { _ in lists.close() }
        #expect(try manager.verify().problems == [])
        try manager.close()
        await following.value
    }
}

/// A process that changes orders in turns.
private struct OrderingProcess {
    private let process: LedgerProcess
    private let allowed: SharedNumber
    private let saved: SharedNumber

    init(_ url: URL, seed: UInt64, in folder: TemporaryDirectory, _ name: String) throws {
        let files = ["allowed-\(name)", "saved-\(name)"].map { folder.path($0) }
        allowed = try SharedNumber(at: files[0])
        saved = try SharedNumber(at: files[1])
        process = try LedgerProcess("orders", url, ["\(seed)"] + files)
    }

    /// Allows a number of further saves.
    func allow(_ count: Int) { allowed.value += Int64(count) }

    /// Whether all allowed saves have returned.
    var isFinished: Bool {
        get throws {
            if !process.process.isRunning { try process.finish() }
            return saved.value == allowed.value
        }
    }

    /// Ends the process.
    func finish() throws {
        allowed.value = -1
        try process.finish()
    }
}

/// Controllers of all shapes and of random ones, used only on the view's queue.
private final class FollowedLists: @unchecked Sendable {
    // The class is safe to send because it is used only on the view's queue.
    private var lists: [(shape: ListShape, controller: ResultsController<Order>, follower: Follower)] = []

    /// The number of lists at a time, of which the last begin as random ones.
    static let count = ListShape.all.count + 3
    /// The number of shapes that were followed.
    private(set) var shapes = 0

    var moves: Int { lists.reduce(0) { $0 + $1.follower.moves } }

    func open(_ view: ViewContext, seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let others = (ListShape.all.count..<Self.count).map { _ in ListShape(seed: random.next()) }
        shapes = Self.count
        for shape in ListShape.all + others {
            let controller = try view.results(shape.limitedRequest, sectionBy: shape.section())
            let follower = Follower(controller)
            controller.delegate = follower
            lists.append((shape, controller, follower))
        }
    }

    func close() { lists = [] }

    /// Replaces the request of one list by that of another.
    func replaceRequest(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let place = Int.random(in: 0..<lists.count, using: &random)
        let shape = ListShape.any(seed: random.next())
        shapes += 1
        try lists[place].controller.setRequest(shape.limitedRequest, sectionBy: shape.section())
        lists[place].shape = shape
    }

    /// Returns the lists that differ from the lists computed from all orders, or from what the delegate's calls lead to.
    func check(_ view: ViewContext) throws -> [String] {
        let orders = try view.allObjects(ofType: Order.self)
        let contents = Dictionary(orders.map { ($0.objectID.rowID, OrderContent($0)) }) { first, _ in first }
        return lists.flatMap { shape, controller, follower -> [String] in
            let snapshot = controller.snapshot
            let expected = shape.list(of: orders)
            let found = snapshot.sections.map { (value: $0.value.column, ids: Array($0.ids)) }
            var problems = follower.problems
            if !found.elementsEqual(expected, by: { $0.value == $1.value && $0.ids == $1.ids }) {
                problems.append("has \(found) instead of \(expected)")
            }
            if follower.snapshot != snapshot { problems.append("its changes lead to another snapshot") }
            let outdated = snapshot.ids.filter { follower.contents[$0.rowID] != contents[$0.rowID] }
            if !outdated.isEmpty { problems.append("the changes of \(outdated) were not reported") }
            if !snapshot.ids.allSatisfy({ id in snapshot.path(of: id).map { snapshot[$0] } == id }) {
                problems.append("an id does not lead to its path")
            }
            return problems.map { "\(shape.name): \($0)" }
        }
    }
}

/// A delegate that applies all changes to the snapshot that it received first, and reads only the objects that are reported.
private final class Follower: ResultsControllerDelegate {
    private(set) var snapshot: ResultsSnapshot
    private(set) var problems: [String] = []
    private(set) var moves = 0
    /// The contents of the list's objects by their row ids.
    private(set) var contents: [Int64: OrderContent] = [:]
    private weak var controller: ResultsController<Order>?

    init(_ controller: ResultsController<Order>) {
        self.controller = controller
        snapshot = controller.snapshot
        for id in snapshot.ids { read(id, in: snapshot) }
    }

    /// Reads the contents of an object, unless a save that is not merged yet has deleted it.
    private func read(_ id: ObjectID, in snapshot: ResultsSnapshot) {
        guard let path = snapshot.path(of: id) else { return }
        contents[id.rowID] = (try? controller?.object(at: path)).map { OrderContent($0) }
    }

    func resultsDidChange(_ snapshot: ResultsSnapshot, _ changes: ResultsChanges) {
        let old = self.snapshot
        for id in changes.objectsThatLeave(old) { contents[id.rowID] = nil }
        for id in changes.objectsToRead { read(id, in: snapshot) }
        self.snapshot = old.applying(changes)
        moves += changes.moves.count
        if self.snapshot != snapshot { problems.append("the changes do not lead to the new snapshot") }
        if !changes.moves.allSatisfy({ old[$0.from] == $0.id && snapshot[$0.to] == $0.id }) {
            problems.append("a move has a wrong path")
        }
        if !changes.updates.allSatisfy({ snapshot[$0.path] == $0.id && old.path(of: $0.id) != nil }) {
            problems.append("an update has a wrong path")
        }
        let moved = Set(changes.moves.map(\.id))
        let isWrong = changes.insertions.contains { old.path(of: $0.id) != nil && !moved.contains($0.id) }
        if isWrong { problems.append("an insertion was in the list") }
        if changes.isEmpty { problems.append("a change is empty") }
    }
}
#endif
