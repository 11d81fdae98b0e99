import Foundation
import LarderCore
import LarderStores

/// A store by itself: values of every kind, transactions, and opening it again.
enum StoreScene {
    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("A store keeps every value exactly, and several keys at once")
        let path = folder.appending(path: "settings.plist").path
        let store = try PropertyListStore(path: path)
        try tour.show(#"store.set(.float(0.1), for: "ratio")"#) { try store.set(.float(0.1), for: "ratio") }
        try tour.show(#"store.set([1, "two", [3.5]], for: "list")"#) { try store.set([1, "two", [3.5]], for: "list") }
        try tour.show(#"store.set(UInt64.max, for: "most")"#) { try store.set(UInt64.max, for: "most") }
        try tour.remark("A transaction is all or nothing; this one throws halfway:")
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
        try tour.remark("Opened again:")
        let again = try PropertyListStore(path: path)
        try tour.show(#"again.value(Float.self, for: "ratio")"#) { try again.value(Float.self, for: "ratio") }
        try tour.show(#"again.value(UInt64.self, for: "most")"#) { try again.value(UInt64.self, for: "most") }
        try tour.show(#"again.keys()"#) { try again.keys() }
        try tour.show(#"again.verify().isIntact"#) { try again.verify().isIntact }
        let differing = try again.entries() != store.entries()
        try Tour.check(!differing, "a store opened again shows other values")
    }

    private struct Cancelled: Error, CustomStringConvertible {
        let description = "Cancelled"
    }
}
