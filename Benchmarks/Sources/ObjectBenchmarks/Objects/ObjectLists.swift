#if Objects
import Dispatch
import Foundation
import LarderObjects

/// Measures saves while a list or a stream of values follows them.
extension Area {
    /// A row that compares a save of one object with the same save beside a list of 100,000 objects.
    ///
    /// The figures with a list include the save, and the time until the list shows the change.
    static var updatingLists: Row {
        .timed("change one of 100,000 objects, which a list shows") { folder in
            let saves = 50
            let benches = try ["alone", "list", "sections", "values"].map { try ListBench(folder + "/" + $0) }
            return [
                Contender("save without a list", operations: saves) { round in
                    for number in 0..<saves { try benches[0].change(number, round) }
                },
                Contender(
                    "with a list of 100,000 objects",
                    operations: saves,
                    goal: .timesFirst(4),
                    prepare: { try benches[1].showList() }
                ) { round in
                    for number in 0..<saves { try benches[1].change(number, round) }
                    try benches[1].checkList(round)
                },
                Contender(
                    "with a list in 1,000 sections",
                    operations: saves,
                    goal: .timesFirst(4),
                    prepare: { try benches[2].showList(sectionBy: SortDescriptor(\.site)) }
                ) { round in
                    for number in 0..<saves { try benches[2].change(number, round) }
                    try benches[2].checkList(round)
                },
                Contender(
                    "with values of 100,000 objects",
                    operations: saves,
                    goal: .timesFirst(4),
                    prepare: { try benches[3].makeValues() }
                ) { round in
                    for number in 0..<saves {
                        try benches[3].change(number, round)
                        try benches[3].checkValues(round)
                    }
                },
            ]
        }
    }
}

/// A database of 100,000 orders, with a list of all of them that is sorted by an indexed attribute.
private final class ListBench: @unchecked Sendable {
    // This is safe because the list is used only on the view's queue, and the stream of values in one task at a time.
    private let manager: SQLiteStorageManager
    private let queue = DispatchQueue(label: "view")
    private var list: ResultsController<BenchmarkSale>?
    private var values: ValuesUpdates<Double>.AsyncIterator?
    private static var request: ObjectRequest<BenchmarkSale> { ObjectRequest(sortedBy: [SortDescriptor(\.date)]) }

    init(_ folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        manager = try SQLiteStorageManager(
            model: ShopBench.model,
            url: URL(fileURLWithPath: folder + "/objects.sqlite"),
            configuration: .init(viewQueue: queue)
        )
        try perform { storage in
            for number in 0..<ShopBench.count {
                let sale = try storage.insertNewObject(ofType: BenchmarkSale.self)
                sale.update(with: OrderValue(number))
                sale.site = Int64(number % 1_000)
            }
        }
    }

    /// Moves one order to another place in the list, and waits until the view has merged the change.
    func change(_ number: Int, _ round: Int) throws {
        try perform { storage in
            let key = Int64(number * 1_000 + 7)
            for sale in try storage.allObjects(ofType: BenchmarkSale.self, matching: \.number == key) {
                sale.date = Date(timeIntervalSinceReferenceDate: Double((round * 50 + number) % 100_000) * 60 + 1)
                sale.total = Double(round)
            }
        }
    }

    func showList(sectionBy section: SortDescriptor<BenchmarkSale>? = nil) throws {
        nonisolated(unsafe) let section = section
        try wait { bench in
            try await bench.manager.withView { view in
                if bench.list == nil { bench.list = try view.results(Self.request, sectionBy: section) }
            }
        }
    }

    func checkList(_ round: Int) throws {
        let count = try wait { bench in try await bench.manager.withView { _ in bench.list?.snapshot.count } }
        guard count == ShopBench.count else { throw ObjectBenchmarkError.wrongResult }
    }

    func makeValues() throws {
        try wait { bench in
            guard bench.values == nil else { return }
            var values = bench.manager.results(Self.request, sectionBy: nil) { $0.total }.makeAsyncIterator()
            _ = try await values.next()
            bench.values = values
        }
    }

    /// Waits for the values that contain the last change.
    func checkValues(_ round: Int) throws {
        try wait { bench in
            guard var values = bench.values, let update = try await values.next() else {
                throw ObjectBenchmarkError.wrongResult
            }
            bench.values = values
            guard update.changes.updates.count + update.changes.moves.count > 0 else {
                throw ObjectBenchmarkError.wrongResult
            }
        }
    }

    private func perform(_ body: @escaping @Sendable (any WritableStorageType) throws -> Void) throws {
        let result = Outcome<Void>()
        manager.performAndSave(body, completion: { result.set($0) }, on: queue)
        try result.get()
    }

    @discardableResult
    private func wait<T: Sendable>(_ body: @escaping @Sendable (ListBench) async throws -> T) throws -> T {
        let result = Outcome<T>()
        Task {
            do { result.set(.success(try await body(self))) } catch { result.set(.failure(error)) }
        }
        return try result.get()
    }
}
#endif
