#if Objects
import Dispatch
import Foundation
import LarderCore
import LarderObjects
import LarderTestSupport
import LarderTestTraits
import ObjectsNetworking
import Testing

/// Tests of updates with structs that were read and edited outside of the transaction.
@Suite(.expectsIssues(.repeatedQuery)) struct ConflictTests {
    private static let model = ObjectModel([
        StorageOrder.self, StorageOrderItem.self, StorageTax.self, StorageAddress.self, StoredCargo.self,
    ])

    private static func order(_ id: Int64, items: [String] = [], city: String? = nil) -> OrderDTO {
        OrderDTO(
            siteID: 1,
            orderID: id,
            status: .pending,
            total: 10,
            note: nil,
            items: items.enumerated().map { place, name in
                OrderItemDTO(itemID: 10 * id + Int64(place), name: name, taxes: [TaxDTO(rate: 7)])
            },
            address: city.map { AddressDTO(city: $0) }
        )
    }

    /// Runs `body` with a manager that stores `orders`.
    private func withOrders(
        _ orders: [OrderDTO],
        _ body: (SQLiteStorageManager) async throws -> Void
    ) async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { _ = try $0.upsert(orders, by: \StorageOrder.orderID) }
            try await body(manager)
        }
    }

    /// Returns the order `id` as it is stored, or `nil` if it was deleted.
    private func stored(_ manager: SQLiteStorageManager, _ id: Int64 = 1) async throws -> OrderDTO? {
        try await manager.fetchValues(ObjectRequest<StorageOrder>(\.orderID == id)) { $0.toReadOnly() }.first
    }

    /// Changes the order `id`, as another writer does.
    private func write(
        _ manager: SQLiteStorageManager,
        _ id: Int64 = 1,
        _ change: @escaping @Sendable (inout OrderDTO) -> Void
    ) async throws {
        try await manager.performAndSave { storage in
            let order = try #require(try storage.firstObject(ofType: StorageOrder.self, matching: \.orderID == id))
            var value = order.toReadOnly()
            change(&value)
            order.update(with: value)
        }
    }

    private func delete(_ manager: SQLiteStorageManager, _ id: Int64 = 1) async throws {
        try await manager.performAndSave { storage in
            _ = try storage.deleteObjects(ofType: StorageOrder.self, matching: \.orderID == id)
        }
    }

    /// Updates an order with an edited struct, and returns the id of the object.
    @discardableResult
    private func update(
        _ manager: SQLiteStorageManager,
        from edited: OrderDTO,
        expecting read: OrderDTO,
        _ policy: ConflictPolicy<OrderDTO> = .fail
    ) async throws -> ObjectID? {
        try await manager.performAndSave { storage in
            try storage.update(
                StorageOrder.self,
                by: \.siteID,
                \.orderID,
                from: edited,
                expecting: read,
                onConflict: policy
            )?.objectID
        }
    }

    @Test func unchangedAttributesDoNotConflict() async throws {
        let read = Self.order(1, items: ["a"])
        try await withOrders([read]) { manager in
            try await write(manager) {
                $0.total = 20; $0.items[0].name = "b"
            }
            var edited = read
            edited.note = "gift"
            let id = try await update(manager, from: edited, expecting: read)
            #expect(id != nil)
            let result = try await stored(manager)
            #expect(result?.note == "gift" && result?.total == 20 && result?.items.map(\.name) == ["b"])
        }
    }

    @Test func structWithoutEditsNeverConflicts() async throws {
        let read = Self.order(1)
        try await withOrders([read]) { manager in
            try await write(manager) { $0.total = 20 }
            try await update(manager, from: read, expecting: read)
            #expect(try await stored(manager)?.total == 20)
            try await delete(manager)
            #expect(try await update(manager, from: read, expecting: read) == nil)
        }
    }

    @Test func errorListsObjectsAndAttributes() async throws {
        let read = Self.order(1, items: ["a"])
        try await withOrders([read]) { manager in
            try await write(manager) {
                $0.total = 20; $0.items[0].name = "b"; $0.status = .paid
            }
            var edited = read
            (edited.total, edited.note) = (30, "gift")
            edited.items[0].name = "c"
            let error = await #expect(throws: ObjectError.self) {
                try await update(manager, from: edited, expecting: read)
            }
            #expect(error?.code == .conflict)
            let conflict = try #require(error?.conflicts.first)
            #expect(conflict.properties == ["total", "items"] && !conflict.isDeleted)
            #expect(conflict.key == "siteID 1, orderID 1")
            #expect(conflict.objectID?.entityName == "StorageOrder")
            #expect(error?.problems == ["StorageOrder with siteID 1, orderID 1: items, total"])
            #expect(try await stored(manager)?.note == nil)
        }
    }

    @Test func equalEditsDoNotConflict() async throws {
        let read = Self.order(1, city: "Ulm")
        try await withOrders([read]) { manager in
            try await write(manager) {
                $0.total = 20; $0.address = nil
            }
            var edited = read
            (edited.total, edited.address) = (20, nil)
            try await update(manager, from: edited, expecting: read)
            #expect(try await stored(manager) == edited)
        }
    }

    @Test func mineWins() async throws {
        let read = Self.order(1)
        try await withOrders([read]) { manager in
            try await write(manager) {
                $0.total = 20; $0.note = "theirs"
            }
            var edited = read
            edited.total = 30
            try await update(manager, from: edited, expecting: read, .mine)
            let result = try await stored(manager)
            #expect(result?.total == 30 && result?.note == "theirs")
        }
    }

    @Test func theirsWins() async throws {
        let read = Self.order(1)
        try await withOrders([read]) { manager in
            try await write(manager) { $0.total = 20 }
            var edited = read
            (edited.total, edited.note) = (30, "mine")
            try await update(manager, from: edited, expecting: read, .theirs)
            let result = try await stored(manager)
            #expect(result?.total == 20 && result?.note == "mine")
        }
    }

    @Test func closureResolves() async throws {
        let read = Self.order(1)
        try await withOrders([read]) { manager in
            try await write(manager) { $0.total = 20 }
            var edited = read
            edited.total = 13
            try await update(
                manager,
                from: edited,
                expecting: read,
                .resolve { mine, theirs, read in
                    var result = theirs
                    result?.total += mine.total - read.total
                    return result
                }
            )
            #expect(try await stored(manager)?.total == 23)
            try await update(manager, from: edited, expecting: read, .resolve { _, _, _ in nil })
            #expect(try await stored(manager)?.total == 23)
            await #expect(throws: Refusal.self) {
                try await update(manager, from: edited, expecting: read, .resolve { _, _, _ in throw Refusal() })
            }
        }
    }

    @Test func deletedObjectIsConflict() async throws {
        let read = Self.order(1)
        try await withOrders([read]) { manager in
            try await delete(manager)
            var edited = read
            edited.total = 20
            let changed = edited
            for policy in [ConflictPolicy<OrderDTO>.fail, .mine] {
                let error = await #expect(throws: ObjectError.self) {
                    try await update(manager, from: changed, expecting: read, policy)
                }
                #expect(error?.code == .conflict && error?.conflicts.map(\.isDeleted) == [true])
                #expect(error?.conflicts.first?.objectID == nil)
            }
            #expect(try await update(manager, from: changed, expecting: read, .theirs) == nil)
            #expect(try await update(manager, from: changed, expecting: read, .resolve { _, _, _ in nil }) == nil)
            let error = await #expect(throws: ObjectError.self) {
                try await update(manager, from: changed, expecting: read, .resolve { mine, _, _ in mine })
            }
            #expect(error?.code == .deletedObject)
            #expect(try await stored(manager) == nil)
        }
    }

    @Test func severalObjectsAreCheckedFirst() async throws {
        let read = (1...4).map { Self.order($0) }
        try await withOrders(read) { manager in
            try await write(manager, 2) { $0.total = 20 }
            try await delete(manager, 3)
            let edits = read.map { order in
                var edited = order
                edited.total = 30
                return (edited: edited, read: order)
            }
            // The error is handled inside the operation, which then saves.
            let conflicts = try await manager.performAndSave { storage -> [ObjectConflict] in
                do {
                    try storage.update(StorageOrder.self, by: \.orderID, from: edits)
                    return []
                } catch let error as ObjectError {
                    #expect(!storage.hasChanges)
                    return error.conflicts
                }
            }
            #expect(conflicts.map(\.key) == ["orderID 2", "orderID 3"])
            #expect(try await stored(manager, 1)?.total == 10)
            try await manager.performAndSave {
                try $0.update(StorageOrder.self, by: \.orderID, from: edits, onConflict: .theirs)
            }
            #expect(try await stored(manager, 1)?.total == 30)
            #expect(try await stored(manager, 2)?.total == 20)
            #expect(try await stored(manager, 4)?.total == 30)
        }
    }

    @Test func severalEditsOfOneObjectFail() async throws {
        let read = Self.order(1)
        try await withOrders([read]) { manager in
            var edited = read
            edited.total = 20
            let edits = [(edited: edited, read: read), (edited: read, read: read)]
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { try $0.update(StorageOrder.self, by: \.orderID, from: edits) }
            }
            #expect(error?.code == .duplicate)
        }
    }

    @Test func keyOfSeveralObjectsFails() async throws {
        try await withOrders([Self.order(1), Self.order(2)]) { manager in
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    _ = try storage.update(
                        StorageOrder.self,
                        by: \.siteID,
                        from: Self.order(1),
                        expecting: Self.order(1)
                    )
                }
            }
            #expect(error?.code == .duplicate)
        }
    }

    @Test func editedNestedStructIsWritten() async throws {
        let read = Self.order(1, items: ["a", "b"], city: "Ulm")
        try await withOrders([read]) { manager in
            try await write(manager) {
                $0.total = 20; $0.address?.city = "Bonn"
            }
            var edited = read
            edited.items.remove(at: 0)
            edited.items[0].taxes.append(TaxDTO(rate: 19))
            try await update(manager, from: edited, expecting: read)
            let result = try await stored(manager)
            #expect(result?.items == edited.items && result?.address?.city == "Bonn" && result?.total == 20)
            #expect(try manager.viewStorage.countObjects(ofType: StorageOrderItem.self) == 1)
        }
    }

    @Test func comparisonWritesNothing() async throws {
        let read = Self.order(1, items: ["a"], city: "Ulm")
        try await withOrders([read]) { manager in
            let changes = try await manager.performAndSave { storage in
                try storage.update(StorageOrder.self, by: \.orderID, from: read, expecting: read)
                return storage.hasChanges
            }
            #expect(!changes)
        }
    }

    @Test func objectIsUpdatedFromStruct() async throws {
        let read = Self.order(1)
        try await withOrders([read]) { manager in
            try await write(manager) { $0.total = 20 }
            try await manager.performAndSave { storage in
                let order = try #require(try storage.firstObject(ofType: StorageOrder.self))
                var edited = read
                edited.note = "gift"
                try order.update(from: edited, expecting: read)
                #expect(order.total == 20 && order.note == "gift")
                edited.total = 30
                let error = #expect(throws: ObjectError.self) { try order.update(from: edited, expecting: read) }
                #expect(error?.conflicts.first?.objectID == order.objectID)
                try storage.deleteObject(order)
                let second = #expect(throws: ObjectError.self) { try order.update(from: edited, expecting: read) }
                #expect(second?.conflicts.first?.isDeleted == true)
            }
        }
    }

    @Test func objectOfViewIsNotUpdated() async throws {
        let read = Self.order(1)
        try await withOrders([read]) { manager in
            let order = try #require(try manager.viewStorage.firstObject(ofType: StorageOrder.self))
            let error = #expect(throws: ObjectError.self) { try order.update(from: read, expecting: read) }
            #expect(error?.code == .foreignObject)
        }
    }

    @Test func conflictOfTwoProcesses() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("orders.sqlite")
            // Two managers share a file as two processes do.
            let managers = try ["app", "helper"].map { name in
                try SQLiteStorageManager(
                    model: Self.model,
                    url: url,
                    configuration: ObjectStorageConfiguration(viewQueue: DispatchQueue(label: name))
                )
            }
            try await managers[0].performAndSave { _ = try $0.upsert([Self.order(1)], by: \StorageOrder.orderID) }
            let read = try #require(try await stored(managers[1]))
            try await write(managers[0]) { $0.total = 20 }
            var edited = read
            edited.note = "gift"
            try await update(managers[1], from: edited, expecting: read)
            edited.total = 30
            let error = await #expect(throws: ObjectError.self) {
                try await update(managers[1], from: edited, expecting: read)
            }
            #expect(error?.conflicts.first?.properties == ["total"])
            let result = try await stored(managers[0])
            #expect(result?.total == 20 && result?.note == "gift")
            for manager in managers {
                #expect(try manager.verify().problems == [])
                try manager.close()
            }
        }
    }

    /// A class with its own conversions is compared through them, and other properties keep their values.
    @Test func conversionsOfClassAreUsed() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { storage in
                let cargo = try storage.insertNewObject(ofType: StoredCargo.self)
                (cargo.code, cargo.grams) = ("A", 1_500)
            }
            let read = Cargo(code: "A", kilograms: 1.5)
            try await manager.performAndSave { storage in
                let cargo = try #require(try storage.firstObject(ofType: StoredCargo.self))
                cargo.code = "B"
                try cargo.update(from: Cargo(code: "A", kilograms: 2), expecting: read)
                #expect(cargo.code == "B" && cargo.grams == 2_000)
                let error = #expect(throws: ObjectError.self) {
                    try cargo.update(from: Cargo(code: "C", kilograms: 2), expecting: read)
                }
                #expect(error?.conflicts.first?.properties == ["code"])
            }
        }
    }

    /// A value that can't be stored is an edit, even if it replaces `nil`.
    @Test func unstorableEditFailsSave() async throws {
        try await withStorage(model: Self.model) { manager in
            try await manager.performAndSave { _ = try $0.insertNewObject(ofType: StoredCargo.self) }
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    let cargo = try #require(try storage.firstObject(ofType: StoredCargo.self))
                    let read = cargo.toReadOnly()
                    var edited = read
                    edited.price = .nan
                    try cargo.update(from: edited, expecting: read)
                }
            }
            #expect(error?.code == .invalidObjects)
        }
    }

    /// Random edits have the results of the table in the decision page.
    @Test(arguments: [Winner.none, .mine, .theirs])
    func randomEditsFollowTable(winner: Winner) async throws {
        let policy = winner.policy
        var random = SplitMix64(seed: 14)
        try await withOrders([]) { manager in
            for id in Int64(1)...200 {
                func value() -> OrderDTO {
                    var value = Self.order(id, items: (0..<Int.random(in: 0...2, using: &random)).map { "\($0)" })
                    value.total = Decimal(Int.random(in: 0...2, using: &random))
                    value.note = [nil, "a", "b"].randomElement(using: &random) ?? nil
                    value.address = Bool.random(using: &random) ? AddressDTO(city: "Ulm") : nil
                    return value
                }
                let (read, mine, theirs) = (value(), value(), value())
                try await manager.performAndSave { _ = try $0.upsert([theirs], by: \StorageOrder.orderID) }
                var expected = theirs
                var conflicts: Set<String> = []
                func merge<Value: Equatable>(_ path: WritableKeyPath<OrderDTO, Value>, _ name: String) {
                    guard mine[keyPath: path] != read[keyPath: path], mine[keyPath: path] != theirs[keyPath: path]
                    else { return }
                    let isConflict = theirs[keyPath: path] != read[keyPath: path]
                    if isConflict { conflicts.insert(name) }
                    if winner == .theirs, isConflict { return }
                    expected[keyPath: path] = mine[keyPath: path]
                }
                merge(\.total, "total")
                merge(\.note, "note")
                merge(\.items, "items")
                merge(\.address, "address")
                if winner == .none, !conflicts.isEmpty {
                    let error = await #expect(throws: ObjectError.self) {
                        try await update(manager, from: mine, expecting: read, policy)
                    }
                    #expect(error?.conflicts.first?.properties == conflicts)
                    expected = theirs
                } else {
                    try await update(manager, from: mine, expecting: read, policy)
                }
                #expect(try await stored(manager, id) == expected)
            }
        }
    }
}

/// The writer whose value is kept after a conflict.
enum Winner {
    case none, mine, theirs

    var policy: ConflictPolicy<OrderDTO> {
        switch self {
        case .none: .fail
        case .mine: .mine
        case .theirs: .theirs
        }
    }
}

struct Cargo: Equatable {
    var code: String
    var kilograms: Double
    var price: Double?
}

/// A class that converts to its struct by itself.
@Entity final class StoredCargo {
    var code: String = ""
    var grams: Int = 0
    var price: Double?
}

extension StoredCargo: ReadOnlyConvertible {
    func update(with value: Cargo) {
        code = value.code
        grams = Int(value.kilograms * 1_000)
        price = value.price
    }

    func toReadOnly() -> Cargo { Cargo(code: code, kilograms: Double(grams) / 1_000, price: price) }
}
#endif
