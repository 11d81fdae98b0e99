import Foundation
import LarderCore
import LarderDeviceStore

/// A scene of `larder tour` that shows typed values, transactions, maintenance and reopening of a device store.
enum StoreScene {
    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("A device store reads every value exactly and commits several keys at once")
        let path = folder.appending(path: "settings.larder").path
        let store = try DeviceStore(path: path)
        try tour.show(#"store.set(.float(0.1), for: "ratio")"#) { try store.set(.float(0.1), for: "ratio") }
        try tour.show(#"store.set([1, "two", [3.5]], for: "list")"#) { try store.set([1, "two", [3.5]], for: "list") }
        try tour.show(#"store.set(UInt64.max, for: "most")"#) { try store.set(UInt64.max, for: "most") }
        try tour.remark("A transaction is atomic. This one throws before it ends and changes nothing:")
        try tour.showError(#"store.transaction { $0.set(1, for: "a"); throw Cancelled() }"#) {
            try store.transaction { transaction in
                try transaction.set(1, for: "a")
                throw Cancelled()
            }
        }
        try tour.show(#"store.get("a")"#) { try store.get("a") }
        try tour.show(#"store.compareAndSet("a", expecting: nil, to: 1)"#) {
            try store.compareAndSet("a", expecting: nil, to: 1)
        }
        try tour.show(#"store.compareAndSet("a", expecting: nil, to: 2)"#) {
            try store.compareAndSet("a", expecting: nil, to: 2)
        }
        try tour.remark("A value can expire, and a commit can wait until it is on disk:")
        let past = Date(timeIntervalSinceNow: -1)
        try tour.show(#"store.set("1234", for: "code", until: past)"#) {
            try store.set("1234", for: "code", until: past)
        }
        try tour.show(#"store.get("code")"#) { try store.get("code") }
        try tour.show(#"store.set(2, for: "a", durability: .synced)"#) {
            try store.set(2, for: "a", durability: .synced)
        }
        try maintain(store, in: folder, tour)
        try store.close()

        try tour.remark("After the store is opened again:")
        let again = try DeviceStore(path: path)
        try tour.show(#"again.value(Float.self, for: "ratio")"#) { try again.value(Float.self, for: "ratio") }
        try tour.show(#"again.value(UInt64.self, for: "most")"#) { try again.value(UInt64.self, for: "most") }
        try tour.show(#"again.keys()"#) { try again.keys() }
        try tour.show(#"again.verify().isIntact"#) { try again.verify().isIntact }
        try Tour.check(
            try again.keys() == ["a", "list", "most", "ratio"],
            "the reopened store does not have the expected keys"
        )
    }

    private static func maintain(_ store: DeviceStore, in folder: URL, _ tour: TourPrinter) throws {
        try tour.remark(
            "1,000 overwrites leave dead bytes in the file. Compaction frees them. A backup is a complete store:"
        )
        for number in 1...1_000 { try store.set(.int(Int64(number)), for: "ratio of writes") }
        try store.remove("ratio of writes")
        let copy = folder.appending(path: "backup.larder").path
        try tour.show(#"store.statistics().deadBytes > 10_000"#) { try store.statistics().deadBytes > 10_000 }
        try tour.show(#"store.compact()"#) { try store.compact() }
        try tour.show(#"store.statistics().deadBytes < 1_000"#) { try store.statistics().deadBytes < 1_000 }
        try tour.show(#"store.backup(to: copy)"#) { try store.backup(to: copy) }
        try Tour.check(
            try DeviceStore(path: copy).entries() == store.entries(),
            "the backup's entries differ from the store's"
        )
    }

    private struct Cancelled: Error, CustomStringConvertible {
        let description = "Cancelled"
    }
}
