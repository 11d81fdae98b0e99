import Foundation
import LarderCore
import LarderDeviceStore

/// A damaged file is refused with its place, stays as it is, and is copied aside before it is repaired.
enum DamageScene {
    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("A damaged file is never overwritten")
        let path = folder.appending(path: "damaged.larder").path
        let store = try DeviceStore(path: path)
        try store.set("kept", for: "before")
        try store.set("lost", for: "hit")
        try store.set("kept", for: "after")
        try store.close()
        let damaged = try changeOneByte(of: path, in: "lost")

        try tour.remark("One byte is no longer what was written:")
        try tour.showError("DeviceStore(path: path)") { try DeviceStore(path: path) }
        try Tour.check(FileManager.default.contents(atPath: path) == damaged, "a refused file was changed")
        try tour.show("DeviceStore.repair(at: path)") { try DeviceStore.repair(at: path) }
        let repaired = try DeviceStore(path: path)
        try tour.remark("What lies behind the damage is there, too:")
        try tour.show(#"repaired.keys()"#) { try repaired.keys() }
        try Tour.check(try repaired.keys() == ["after", "before"], "a repair kept other values")
        let again = try DeviceStore.repair(at: path)
        try Tour.check(again == nil, "a repaired file is still damaged")
        let copy = FileManager.default.contents(atPath: path + ".damaged-1")
        try Tour.check(copy == damaged, "the damaged file was not copied aside")
    }

    private static func changeOneByte(of path: String, in text: String) throws -> Data {
        let url = URL(filePath: path)
        var content = try Data(contentsOf: url)
        guard let place = content.range(of: Data(text.utf8)) else {
            throw CommandFailure.storage("The tour did not find the value that it was to damage.")
        }
        content[place.lowerBound] ^= 1
        try content.write(to: url)
        return content
    }
}
