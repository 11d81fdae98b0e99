#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderObjects
import LarderTestTraits
import Testing

/// Tests of unusual ways to use object storage that no other test covers.
@Suite(.expectsIssues(.repeatedQuery, .notConvertible, .damaged, .writeFailed)) struct HostileStorageTests {
    struct Reading: Codable, Sendable, Equatable {
        var values: [String: [Double]] = [:]
        var state = State.off
        enum State: Codable, Sendable, Equatable {
            case off
            case on(Float)
        }
    }

    enum Size: String, Codable, Sendable { case small, large }

    @Entity final class Sensor {
        @Attribute(.unique) var number: Int = 0
        var reading: Reading = Reading()
        var spare: Reading?
        var size: Size = .small
        var sizes: [Size] = []
        var seenAt: [Date] = []
    }

    private static let sensors = ObjectModel([Sensor.self])

    // MARK: Queries through relationships

    private static func fill(_ storage: any WritableStorageType) throws {
        let names: [(String, String?)] = [("a", nil), ("b", "bee"), ("a", "ay"), ("", ""), ("é", "e")]
        var customers: [Customer] = []
        for (place, name) in names.enumerated() {
            let customer = try storage.insertNewObject(ofType: Customer.self)
            (customer.name, customer.nickname, customer.age) = (name.0, name.1, place)
            if place > 0 { customer.boss = customers[place / 2] }
            customers.append(customer)
        }
        for number in 0..<30 {
            let order = try storage.insertNewObject(ofType: Order.self)
            order.number = Int64(number)
            order.quantity = number % 4
            if number % 6 < 5 { order.customer = customers[number % 6] }
        }
    }

    /// There is one statement per predicate, because the compiler needs five seconds for an array literal.
    private static var predicates: [Predicate<Order>] {
        var all: [Predicate<Order>] = []
        all.append(#Predicate { $0.customer?.name == nil })
        all.append(#Predicate { $0.customer?.name != nil })
        all.append(#Predicate { !($0.customer?.name == "a") })
        all.append(#Predicate { ($0.customer?.name == "a") == false })
        all.append(#Predicate { $0.customer?.name != "a" })
        all.append(#Predicate { !($0.customer?.nickname != "bee") })
        all.append(#Predicate { $0.customer?.boss?.name == "a" && !($0.customer?.nickname == nil) })
        all.append(#Predicate { $0.customer?.boss?.name == "a" || $0.customer == nil })
        all.append(#Predicate { ($0.customer?.boss?.name == "a") != ($0.customer?.name == "a") })
        all.append(#Predicate { ($0.customer?.nickname ?? "none") == "none" })
        all.append(#Predicate { ($0.customer?.nickname ?? "none") != "bee" && $0.quantity > 0 })
        all.append(#Predicate { $0.customer?.age == 0 || $0.customer?.age == 2 && $0.quantity == 1 })
        all.append(#Predicate { !($0.customer?.name == "a" && $0.customer?.boss == nil) })
        all.append(#Predicate { !($0.customer?.name == "a" || $0.customer?.age == 1) })
        all.append(#Predicate { $0.customer?.boss?.nickname == $0.customer?.nickname })
        all.append(#Predicate { $0.customer == nil ? $0.quantity == 1 : $0.customer?.name == "b" })
        return all
    }

    @Test(arguments: predicates.indices)
    func predicatesOnMissingRelatedObjectsAgreeInSQLAndMemory(_ place: Int) async throws {
        try await withStorage { manager in
            try await manager.performAndSave { try Self.fill($0) }
            let view = manager.viewStorage
            let predicate = Self.predicates[place]
            let all = try view.allObjects(ofType: Order.self)
            let expected = try all.filter { try predicate.evaluate($0) }.map(\.number)
            #expect(try view.allObjects(ofType: Order.self, matching: predicate).map(\.number) == expected)
            #expect(try view.countObjects(ofType: Order.self, matching: Filter(predicate)) == expected.count)
            let sorted = try view.allObjects(
                ofType: Order.self,
                matching: predicate,
                sortedBy: [SortDescriptor(\.customer?.name, order: .reverse), SortDescriptor(\.number)]
            )
            #expect(Set(sorted.map(\.number)) == Set(expected) && sorted.count == expected.count)
        }
    }

    @Test func pagesSortedByRelatedAttributeMatchUnpagedFetch() async throws {
        try await withStorage { manager in
            try await manager.performAndSave { try Self.fill($0) }
            let view = manager.viewStorage
            for order in [SortOrder.forward, .reverse] {
                let sort = [SortDescriptor(\Order.customer?.name, order: order), SortDescriptor(\Order.quantity)]
                let all = try view.allObjects(ofType: Order.self, sortedBy: sort)
                var pages: [Order] = []
                for page in 0..<5 {
                    pages += try view.allObjects(ofType: Order.self, sortedBy: sort, limit: 7, offset: page * 7)
                }
                #expect(all.count == 30 && all.map(\.number) == pages.map(\.number))
                let values = try await manager.fetchValues(ObjectRequest<Order>(sortedBy: sort)) { $0.number }
                #expect(values == all.map(\.number))
            }
            // Unsaved changes move an object to another position in the order.
            let sort = [SortDescriptor(\Order.customer?.name), SortDescriptor(\Order.number)]
            let first = try await manager.performAndSave { storage in
                try #require(try storage.firstObject(ofType: Order.self, matching: \.number == 29)).customer = nil
                let last = try #require(try storage.firstObject(ofType: Order.self, matching: \.number == 5))
                last.customer = try storage.firstObject(ofType: Customer.self, matching: \.name == "é")
                return try storage.allObjects(ofType: Order.self, sortedBy: sort).map(\.number)
            }
            #expect(try view.allObjects(ofType: Order.self, sortedBy: sort).map(\.number) == first)
        }
    }

    // MARK: Large filters

    @Test(arguments: 0..<5) func unusualFiltersSucceedOrAreRejected(_ shape: Int) async throws {
        try await withStorage { manager in
            try await manager.performAndSave { try Self.fill($0) }
            try await onSmallThread {
                var filter = \Order.quantity == 1
                switch shape {
                case 0: for _ in 0..<10_000 { filter = !filter }
                case 1:
                    for number in 0..<5_000 {
                        filter = number % 2 == 0 ? filter || \.number == -1 : filter && \.number != -2
                    }
                case 2: filter = (\Order.number).in((0..<100_000).map { Int64($0) })
                case 3: for _ in 0..<10_000 { filter = filter && filter }
                default: for number in 0..<10_000 { filter = !(filter && \.number != Int64(-1 - number)) }
                }
                do {
                    _ = try manager.viewStorage.countObjects(ofType: Order.self, matching: filter)
                } catch let error as ObjectError {
                    #expect(error.code == .unsupportedQuery)
                }
            }
        }
    }

    // MARK: Quarantine and opening

    private static func open(
        _ url: URL,
        _ policy: MismatchPolicy = .quarantineAndRecreate,
        _ model: ObjectModel = Shop.model
    ) throws -> SQLiteStorageManager {
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"), onMismatch: policy)
        return try SQLiteStorageManager(model: model, url: url, configuration: configuration)
    }

    @Test func folderDanglingLinkAndOrphanedLogAreHandledOnOpen() async throws {
        try await withTemporaryFolder { folder in
            let files = FileManager.default
            let place = folder.appendingPathComponent("folder.sqlite")
            try files.createDirectory(at: place, withIntermediateDirectories: true)
            #expect(throws: ObjectError.self) { _ = try Self.open(place) }
            #expect(files.fileExists(atPath: place.path))

            let link = folder.appendingPathComponent("link.sqlite")
            let target = folder.appendingPathComponent("target.sqlite")
            try files.createSymbolicLink(at: link, withDestinationURL: target)
            let linked = try Self.open(link)
            try await linked.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "kept" }
            try linked.close()
            #expect(try files.destinationOfSymbolicLink(atPath: link.path) == target.path)
            let direct = try Self.open(target)
            #expect(try direct.viewStorage.allObjects(ofType: Tag.self).map(\.name) == ["kept"])
            try direct.close()

            // The log of a missing file must not be applied to the new file.
            let orphan = folder.appendingPathComponent("orphan.sqlite")
            let first = try Self.open(orphan)
            try await first.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "old" }
            let log = try Data(contentsOf: URL(fileURLWithPath: orphan.path + "-wal"))
            try first.close()
            try files.removeItem(at: orphan)
            try log.write(to: URL(fileURLWithPath: orphan.path + "-wal"))
            let issues = Box<[LarderIssue.Code]>([])
            let second = try withIssueHandler({ issues.value.append($0.code) }) { try Self.open(orphan, .refuse) }
            #expect(issues.value == [.earlierValues])
            #expect(try second.viewStorage.allObjects(ofType: Tag.self).map(\.name) == [])
            let aside = URL(fileURLWithPath: orphan.path + ".quarantined-1-wal")
            #expect(try Data(contentsOf: aside) == log)
            try await second.performAndSave { try $0.insertNewObject(ofType: Tag.self).name = "new" }
            #expect(try second.verify().problems == [])
            try second.close()
        }
    }

    @Test func concurrentManagersOpenSameDatabase() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("shop.sqlite")
            let open = try await withThrowingTaskGroup(of: SQLiteStorageManager.self) { group in
                for _ in 0..<6 { group.addTask { try Self.open(url, .refuse) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for manager in open {
                try await manager.performAndSave { try $0.insertNewObject(ofType: Item.self).name = "one" }
                #expect(try manager.verify().problems == [])
                try manager.close()
            }
            let again = try Self.open(url, .refuse)
            #expect(try again.viewStorage.countObjects(ofType: Item.self) == open.count)
            try again.close()
        }
    }

    // MARK: Values that can't be stored

    /// The places in which a value can contain NaN or infinity.
    enum Way: CaseIterable { case nested, payload, optional, dates, batch, infinity }

    @Test(arguments: Way.allCases) func savingValueThatContainsNaNFails(_ way: Way) async throws {
        try await withStorage(model: Self.sensors) { manager in
            try await manager.performAndSave { try $0.insertNewObject(ofType: Sensor.self).number = 1 }
            let error = await #expect(throws: ObjectError.self) {
                try await manager.performAndSave { storage in
                    let sensor = try #require(try storage.firstObject(ofType: Sensor.self))
                    switch way {
                    case .nested: sensor.reading.values["x"] = [1, .nan]
                    case .payload: sensor.reading.state = .on(.nan)
                    case .optional: sensor.spare = Reading(values: ["": [-.nan]])
                    case .dates: sensor.seenAt = [Date(timeIntervalSinceReferenceDate: .nan)]
                    case .batch:
                        try storage.batchUpdate(
                            ofType: Sensor.self,
                            matching: nil,
                            set: [.set(\.reading, to: Reading(values: ["x": [.nan]]))]
                        )
                    case .infinity: sensor.reading.values["x"] = [.infinity, .nan]
                    }
                }
            }
            #expect(error?.code == .invalidObjects && error?.description.contains("Sensor") == true)
            let sensor = try manager.viewStorage.firstObject(ofType: Sensor.self)
            #expect(sensor?.reading == Reading() && sensor?.spare == nil && sensor?.seenAt == [])
        }
    }

    /// Values that raw SQL can leave in a column.
    enum Damage: String, CaseIterable {
        case lostCase = "size = 'medium'"
        case lostCaseInList = "sizes = '[\"small\",\"medium\"]'"
        case missingField = "reading = '{\"values\":{}}'"
        case optional = "spare = '[]'"
        case emptyText = "size = ''"
    }

    @Test(arguments: Damage.allCases) func verifyListsUndecodableValues(_ damage: Damage) async throws {
        try await withStorage(model: Self.sensors) { manager in
            try await manager.performAndSave { storage in
                for number in 0..<3 { try storage.insertNewObject(ofType: Sensor.self).number = number }
            }
            try await manager.write {
                try $0.execute(sql: "UPDATE Sensor SET \(damage.rawValue) WHERE number = 1")
            }
            let problems = try manager.verify().problems
            #expect(problems.count == 1)
            // A value that was reported can be replaced.
            try await manager.performAndSave { storage in
                let sensor = try #require(try storage.firstObject(ofType: Sensor.self, matching: \.number == 1))
                (sensor.size, sensor.sizes, sensor.reading, sensor.spare) = (.large, [.small], Reading(), nil)
            }
        }
    }

    // MARK: Many objects

    @Test func deletionOfRelatedObjectsLeavesNoDanglingReference() async throws {
        try await withStorage { manager in
            let count = 10_020
            try await manager.performAndSave { storage in
                var last: Customer?
                for number in 0..<count {
                    let customer = try storage.insertNewObject(ofType: Customer.self)
                    customer.age = number
                    customer.boss = last
                    last = customer
                }
                let order = try storage.insertNewObject(ofType: Order.self)
                order.number = 1
                for number in 0..<5 {
                    let item = try storage.insertNewObject(ofType: Item.self)
                    item.quantity = number
                    order.addToItems(item)
                }
            }
            try await manager.performAndSave { storage in
                // An object with unsaved changes is deleted together with all others.
                let held = try #require(try storage.firstObject(ofType: Customer.self, matching: \.age == 5))
                held.name = "changed"
                let new = try storage.insertNewObject(ofType: Customer.self)
                new.boss = held
                try storage.deleteAllObjects(ofType: Customer.self)
                #expect(held.isDeleted && new.isDeleted && storage.hasChanges)
                held.name = "after"
                let item = try #require(try storage.firstObject(ofType: Item.self, matching: \.quantity == 2))
                try storage.deleteObject(item)
            }
            #expect(try manager.viewStorage.countObjects(ofType: Customer.self) == 0)
            let items = try #require(try manager.viewStorage.firstObject(ofType: Order.self)).items
            #expect(items.map(\.quantity) == [0, 1, 3, 4])
        }
    }

    @Test func objectIsStoredIfDefaultValueClosureSavesStorage() async throws {
        try await withStorage(
            model: ObjectModel([Nested.self, Customer.self, Order.self, Item.self, Refund.self, Tag.self])
        ) {
            manager in
            let number = try await manager.performAndSave { storage -> Int in
                for _ in 0..<5_000 { _ = try storage.insertNewObject(ofType: Item.self) }
                nonisolated(unsafe) let storage = storage
                Nested.hook.value = {
                    Nested.hook.value = nil
                    try? storage.saveIfNeeded()
                    return 7
                }
                let nested = try storage.insertNewObject(ofType: Nested.self)
                Nested.hook.value = nil
                return nested.number
            }
            #expect(number == 7)
            #expect(try manager.viewStorage.allObjects(ofType: Nested.self).map(\.number) == [7])
        }
    }

    @Entity final class Nested {
        static let hook = Box<(@Sendable () -> Int)?>(nil)
        var number: Int = Nested.hook.value?() ?? 0
    }
}
#endif
