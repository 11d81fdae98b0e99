import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStore

/// A scene of the tour that demonstrates typed keys with default values, and a bridge for a custom type.
enum DefaultsScene {
    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("Typed keys have default values")
        let store = try DeviceStore(path: folder.appending(path: "defaults.larder").path)
        // The variable is capitalized like the library's global `Defaults`.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        let Defaults = DefaultsAdapter(store: store, keyStore: TourKeys())

        try tour.show(#"Defaults.test1"#) { Defaults.test1 }
        try tour.show(#"Defaults[\.launchCount] += 1"#) { Defaults[\.launchCount] += 1 }
        try tour.show(#"Defaults[\.launchCount]"#) { Defaults[\.launchCount] }
        try tour.show(#"Defaults.hasKey(\.test1)"#) { Defaults.hasKey(\.test1) }
        try tour.remark("A custom type is stored by its own bridges:")
        try tour.show(#"Defaults.frog = Frog(name: "Froggy")"#) { Defaults.frog = Frog(name: "Froggy") }
        try tour.show(#"Defaults.frog"#) { Defaults.frog }
        try tour.show(#"Defaults.frogs = [Frog(name: "One"), Frog(name: "Two")]"#) {
            Defaults.frogs = [Frog(name: "One"), Frog(name: "Two")]
        }
        try tour.show(#"Defaults.frogs.count"#) { Defaults.frogs.count }
        try tour.show(#"store.get("frogs")"#) { try store.get("frogs") }
        try Tour.check(
            Defaults.frogs == [Frog(name: "One"), Frog(name: "Two")],
            "the array changed when it was stored"
        )
    }
}

private struct TourKeys: DefaultsKeyStore {
    let test1 = DefaultsKey<String>("test1", defaultValue: "")
    let launchCount = DefaultsKey<Int>("launchCount", defaultValue: 0)
    let frog = DefaultsKey<Frog>("frog", defaultValue: Frog(name: "unknown"))
    let frogs = DefaultsKey<[Frog]>("frogs", defaultValue: [])
}

private struct Frog: DefaultsSerializable, Equatable, CustomStringConvertible {
    static var _defaults: DefaultsBridge<Frog> { FrogBridge() }
    static var _defaultsArray: DefaultsBridge<[Frog]> { FrogArrayBridge() }

    let name: String
    var description: String { "Frog(name: \(name.debugDescription))" }
}

private final class FrogBridge: DefaultsBridge<Frog> {
    override func get(key: String, userDefaults: UserDefaults) -> Frog? {
        userDefaults.string(forKey: key).map(Frog.init)
    }

    override func save(key: String, value: Frog?, userDefaults: UserDefaults) {
        userDefaults.set(value?.name, forKey: key)
    }
}

private final class FrogArrayBridge: DefaultsBridge<[Frog]> {
    override func get(key: String, userDefaults: UserDefaults) -> [Frog]? {
        userDefaults.stringArray(forKey: key)?.map(Frog.init)
    }

    override func save(key: String, value: [Frog]?, userDefaults: UserDefaults) {
        userDefaults.set(value?.map(\.name), forKey: key)
    }
}
