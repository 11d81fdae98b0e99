import Foundation
import LarderCore
import LarderStores

/// A damaged file is refused with its place, stays as it is, and is copied aside before it is repaired.
enum DamageScene {
    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("A damaged file is never overwritten")
        let path = folder.appending(path: "damaged.plist").path
        try PropertyListStore(path: path).set("kept", for: "a")
        let damaged = try cutShort(path)

        try tour.remark("Its last bytes are gone, as after a power loss on a careless disk:")
        try tour.showError("PropertyListStore(path: path)") { try PropertyListStore(path: path) }
        try Tour.check(FileManager.default.contents(atPath: path) == damaged, "a refused file was changed")
        try tour.show("PropertyListStore.repair(path: path)") { try PropertyListStore.repair(path: path) }
        let store = try PropertyListStore(path: path)
        try tour.show(#"store.get("a")"#) { try store.get("a") }
        let copy = try PropertyListStore.repair(path: path).copiedTo
        try Tour.check(copy == nil, "a repaired file is still damaged")
    }

    private static func cutShort(_ path: String) throws -> Data {
        let url = URL(filePath: path)
        let content = try Data(contentsOf: url).dropLast(10)
        try content.write(to: url)
        return Data(content)
    }
}
