#if Objects
import Foundation
package import LarderObjects

/// The entities that several processes write at once.
package enum Ledger {
    /// A number that processes increment.
    @Entity package final class Counter {
        package var value: Int64 = 0
    }
    /// An object of a numbered save.
    @Entity(indexes: [["writer", "number"]]) package final class Entry {
        /// The name of the process that inserted the entry.
        package var writer = ""
        /// The number of the save, which begins with 1 for each writer.
        package var number: Int64 = 0
        /// When the save began, by ``now``.
        package var time: Int64 = 0
    }
    /// An object of another entity, which takes its id from the same sequence.
    @Entity package final class Note {
        package var writer = ""
        package var number: Int64 = 0
    }

    package static let model = ObjectModel([Counter.self, Entry.self, Note.self])

    /// The nanoseconds of a clock that all processes share.
    package static var now: Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }

    /// Opens or creates the ledger at `path`, with a configuration that `change` may change.
    package static func open(
        _ path: String,
        _ change: (inout ObjectStorageConfiguration) -> Void = { _ in }
    ) throws -> SQLiteStorageManager {
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        // The machine may be busy, and only the tests of time limits expect an error.
        configuration.openingTimeout = .seconds(60)
        change(&configuration)
        return try SQLiteStorageManager(model: model, url: URL(fileURLWithPath: path), configuration: configuration)
    }

    /// Increments the counter.
    package static func increment(_ storage: any WritableStorageType) throws {
        let counter = try storage.firstObject(ofType: Counter.self) ?? storage.insertNewObject(ofType: Counter.self)
        counter.value += 1
    }

    /// Returns the counter's value, or 0 if there is no counter.
    package static func counter(_ storage: any StorageType) throws -> Int64 {
        try storage.firstObject(ofType: Counter.self)?.value ?? 0
    }

    /// Inserts the entries and as many notes of one save.
    package static func insert(
        _ count: Int,
        _ writer: String,
        _ number: Int64,
        into storage: any WritableStorageType
    ) throws {
        let time = now
        for _ in 0..<count {
            let entry = try storage.insertNewObject(ofType: Entry.self)
            (entry.writer, entry.number, entry.time) = (writer, number, time)
            let note = try storage.insertNewObject(ofType: Note.self)
            (note.writer, note.number) = (writer, number)
        }
    }

    /// Deletes the entries and notes of a writer's saves up to and including a number.
    package static func delete(
        _ writer: String,
        through number: Int64,
        from storage: any WritableStorageType
    ) throws {
        let entries = try storage.allObjects(
            ofType: Entry.self,
            matching: #Predicate { $0.writer == writer && $0.number <= number }
        )
        for entry in entries { try storage.deleteObject(entry) }
        try storage.batchDelete(
            ofType: Note.self,
            matching: Filter(#Predicate { $0.writer == writer && $0.number <= number })
        )
    }

    /// Returns the number of a writer's last save, or 0 if there is none.
    package static func lastNumber(of writer: String, in storage: any StorageType) throws -> Int64 {
        try storage.firstObject(
            ofType: Entry.self,
            matching: #Predicate { $0.writer == writer },
            sortedBy: [SortDescriptor(\.number, order: .reverse)]
        )?.number ?? 0
    }

    /// Makes a change that only depends on the number and the stored entries: an insertion, an update, or a deletion.
    package static func change(_ storage: any WritableStorageType, by random: UInt64) throws {
        let entries = try storage.allObjects(ofType: Entry.self, limit: 100)
        let chosen = entries.isEmpty ? nil : entries[Int(random / 8 % UInt64(entries.count))]
        switch (random % 5, chosen) {
        case (0, let entry?): try storage.deleteObject(entry)
        case (1, let entry?): entry.number += 1
        case (2, let entry?): entry.writer = "writer \(random % 16)"
        default: try insert(1, "writer \(random % 16)", Int64(random % 1_000), into: storage)
        }
    }
}
#endif
