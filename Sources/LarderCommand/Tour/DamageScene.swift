import Foundation
import LarderCore
import LarderDeviceStore

/// A scene of `larder tour` in which a corrupt store is rejected unchanged, then backed up and repaired.
enum DamageScene {
    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("A corrupt file is never overwritten")
        let path = folder.appending(path: "damaged.larder").path
        let store = try DeviceStore(path: path)
        try store.set("kept", for: "before")
        try store.set("lost", for: "hit")
        try store.set("kept", for: "after")
        try store.close()
        let damaged = try changeOneByte(of: path, in: "lost")

        try tour.remark("One byte of the file has changed, so opening the store throws:")
        try tour.showError("DeviceStore(path: path)") { try DeviceStore(path: path) }
        try Tour.check(
            FileManager.default.contents(atPath: path) == damaged,
            "the corrupt file was changed when it was rejected"
        )
        try tour.show("DeviceStore.repair(at: path)") { try DeviceStore.repair(at: path) }
        let repaired = try DeviceStore(path: path)
        try tour.remark("The repair keeps the values before and after the corrupt bytes:")
        try tour.show(#"repaired.keys()"#) { try repaired.keys() }
        try Tour.check(
            try repaired.keys() == ["after", "before"],
            "the repaired store does not have the expected keys"
        )
        let again = try DeviceStore.repair(at: path)
        try Tour.check(again == nil, "the store is still corrupt after the repair")
        let copy = FileManager.default.contents(atPath: path + ".damaged-1")
        try Tour.check(copy == damaged, "the repair made no backup copy of the corrupt file")
    }

    private static func changeOneByte(of path: String, in text: String) throws -> Data {
        let url = URL(filePath: path)
        var content = try Data(contentsOf: url)
        guard let place = content.range(of: Data(text.utf8)) else {
            throw CommandFailure.storage("The tour could not find the value to corrupt. Run the tour again.")
        }
        content[place.lowerBound] ^= 1
        try content.write(to: url)
        return content
    }
}
