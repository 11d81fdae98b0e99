import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores

/// The part of the tour that previews and runs a migration of an older program's settings.
enum MigrationScene {
    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("A migration is atomic, runs only once and returns a report")
        let old = folder.appending(path: "old settings.plist").path
        let settings = try PropertyListStore(path: old)
        try settings.set("green", for: "colour")
        try settings.set(0.75, for: "volume")
        let store = try DeviceStore(path: folder.appending(path: "new.larder").path)
        try store.set("blue", for: "colour")

        let migration = try StoreMigration("settings of version 1", fromPropertyListAt: old)
        try tour.show(#"migration.preview(into: store)"#) { try migration.preview(into: store) }
        try tour.show(#"store.keys()"#) { try store.keys() }
        try tour.show(#"migration.run(into: store)"#) { try migration.run(into: store) }
        try tour.show(#"store.keys()"#) { try store.keys() }
        try tour.show(#"store.get("colour")"#) { try store.get("colour") }
        try tour.remark("The next time the program starts, the migration does not run again:")
        try tour.show(#"migration.run(into: store)"#) { try migration.run(into: store) }
        try Tour.check(try settings.count() == 2, "the migration changed the file that it read from")
    }
}
