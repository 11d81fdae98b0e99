import CCallgrind
import Foundation
import LarderCore
import LarderDataSources
import LarderDefaults
import LarderDeviceStore

#if Objects
import LarderObjects
#endif

/// Writes and reads values one after another, so that callgrind counts the functions that each value passes through.
///
/// `Scripts/roads.sh` runs `ValueRoads FOLDER keys` and `ValueRoads FOLDER objects` separately, so that the threads of one run do not
/// appear in the other run.
@main struct ValueRoads {
    static func main() throws {
        let folder = CommandLine.arguments[1]
        if CommandLine.arguments[2] == "keys" { try keys(folder) } else { try objects(folder) }
    }

    private static func keys(_ folder: String) throws {
        // The same calls on every file system.
        var options = DeviceStoreOptions()
        options.io = .systemCalls
        let store = try DeviceStore(path: folder + "/roads.larder", options: options)
        let adapter = DefaultsAdapter(store: store, keyStore: Keys())
        let source = DeviceStorageDataSource<Int>(store, prefix: "source")
        var n = 0
        follow("Defaults[\\.n] = 3") {
            n += 1
            adapter[\.n] = n
        }
        follow("Defaults[\\.n] += 1") { adapter[\.n] += 1 }
        follow("Defaults[\\.n]") { n = adapter[\.n] }
        follow("source.put(3, forId: \"n\")") {
            n += 1
            source.put(n, forId: "n")
        }
        follow("source.get(\"n\")") { _ = source.get("n") }
    }

    #if Objects
    private static func objects(_ folder: String) throws {
        var configuration = ObjectStorageConfiguration()
        // The main thread waits.
        configuration.viewQueue = DispatchQueue(label: "view")
        let url = URL(fileURLWithPath: folder + "/roads.sqlite")
        let manager = try SQLiteStorageManager(model: ObjectModel([Note.self]), url: url, configuration: configuration)
        follow("storageManager.performAndSave { try $0.insertNewObject(ofType: Note.self).text = \"a\" }") {
            let isSaved = DispatchSemaphore(value: 0)
            // Not the suspending form: valgrind cannot run a program whose main thread Dispatch has ended.
            manager.performAndSave(
                { try $0.insertNewObject(ofType: Note.self).text = "a" },
                completion: { _ = isSaved.signal() },
                on: .global()
            )
            isSaved.wait()
        }
        try follow("viewStorage.firstObject(ofType: Note.self)?.text") {
            _ = try manager.viewStorage.firstObject(ofType: Note.self)?.text
        }
        try manager.close()
    }
    #else
    private static func objects(_ folder: String) {}
    #endif

    private static func follow(_ name: String, _ road: () throws -> Void) rethrows {
        // Warm-up for work that is done once per process or key.
        for _ in 0..<3 { try road() }
        larder_callgrind_begin()
        try road()
        larder_callgrind_end(name)
    }
}

private struct Keys: DefaultsKeyStore {
    var n: DefaultsKey<Int> { DefaultsKey("n", defaultValue: 0) }
}

#if Objects
@Entity final class Note {
    var text = ""
}
#endif
