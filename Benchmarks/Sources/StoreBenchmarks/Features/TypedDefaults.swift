import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStore

extension Area {
    /// Measures typed keys over a device store, compared with direct use of the store and with Foundation's `UserDefaults`.
    static var typedDefaults: Area { Area(name: "typed-defaults", rows: [reading, writing, naming, decoding]) }

    private static let repetitions = 10_000
    /// The number of writes in a run, which is low because a longer run would be disturbed more by other load.
    private static let writes = 1_000

    private static var reading: Row {
        .timed("typed key: read one Int") { folder in
            let contenders = try Contenders(folder)
            let (store, adapter) = (contenders.store, contenders.adapter)
            let cached = SwiftyUserDefault(keyPath: \.int, adapter: adapter, options: .cached)
            let name = "int"
            return [
                repeating("DeviceStore, by String key") { _ in keep(try store.value(Int.self, for: StoreKey(name))) },
                repeating("Defaults[\\.int]", .aboveFirst(30)) { _ in keep(adapter[\.int]) },
                repeating("Defaults.int", .aboveFirst(30)) { _ in keep(adapter.int) },
                repeating("@SwiftyUserDefault, .cached", .timesFirst(1)) { _ in keep(cached.wrappedValue) },
                repeating("UserDefaults") { _ in keep(contenders.defaults.get(name)) },
            ]
        }
    }

    private static var writing: Row {
        .timed("typed key: write a changed Int", rounds: 101) { folder in
            let contenders = try Contenders(folder)
            let (store, adapter) = (contenders.store, contenders.adapter)
            return [
                repeating("DeviceStore", times: writes) { try store.set(.int(Int64($0)), for: "bare") },
                repeating("Defaults.int =", .aboveFirst(60), times: writes) { adapter.int = $0 },
                repeating("Defaults.int = Defaults.int + 1", times: writes) { _ in adapter.int = adapter.int + 1 },
                repeating("Defaults.int += 1", .timesFirst(2.5), times: writes) { _ in adapter.int += 1 },
                repeating("Defaults.modify(\\.int)", times: writes) { _ in try adapter.modify(\.int) { $0 += 1 } },
                repeating("UserDefaults, not synchronized", times: writes) { contenders.defaults.put($0, "int") },
            ]
        }
    }

    /// Measures the first write to a new name, which is recorded for `removeAll`.
    private static var naming: Row {
        .timed("typed key: write a new name", rounds: 9) { folder in
            func writing(_ title: String, known: Int, goal: Goal? = nil) throws -> Contender {
                let store = try DeviceStore(path: "\(folder)/\(known).larder")
                let adapter = DefaultsAdapter(store: store, keyStore: DefaultsKeys())
                func key(_ name: String) -> DefaultsKey<Int> { DefaultsKey(name, defaultValue: 0) }
                for number in 0..<known { adapter[key: key("known \(number)")] = number }
                return Contender(title, operations: 100, goal: goal) { round in
                    for number in 0..<100 { adapter[key: key("new \(round) \(number)")] = number }
                }
            }
            return [
                try writing("Defaults, few known names", known: 0),
                try writing("Defaults, 10,000 known names", known: 10_000, goal: .timesFirst(1.5)),
            ]
        }
    }

    private static var decoding: Row {
        .timed("typed key: read an unchanged Codable struct of 8 fields") { folder in
            let contenders = try Contenders(folder)
            let (store, adapter) = (contenders.store, contenders.adapter)
            adapter.player = Player()
            let suite = UserDefaults(suiteName: folder + "/codable")
            suite?.set(try JSONEncoder().encode(Player()), forKey: "player")
            return [
                repeating("DeviceStore, the stored bytes") { _ in keep(try store.get("player")) },
                repeating("Defaults.player") { _ in keep(adapter.player) },
                repeating("UserDefaults and JSONDecoder") { _ in
                    guard let bytes = suite?.data(forKey: "player") else { return }
                    keep(try JSONDecoder().decode(Player.self, from: bytes))
                },
            ]
        }
    }

    private struct Contenders {
        let store: DeviceStore
        let adapter: DefaultsAdapter<TypedKeys>
        let defaults: UserDefaultsPeer

        init(_ folder: String) throws {
            store = try DeviceStore(path: folder + "/s.larder")
            adapter = DefaultsAdapter(store: store, keyStore: TypedKeys())
            defaults = try UserDefaultsPeer(folder + "/suite", ["int"])
            adapter.int = 1
        }
    }

    private static func repeating(
        _ name: String,
        _ goal: Goal? = nil,
        times repetitions: Int = repetitions,
        _ body: @escaping (Int) throws -> Void
    ) -> Contender {
        Contender(name, operations: repetitions, goal: goal) { round in
            for repetition in 0..<repetitions { try body(round &* repetitions &+ repetition) }
        }
    }
}

private struct Player: Codable, DefaultsSerializable, Sendable {
    var name = "Ada"
    var team = "red"
    var level = 3
    var lives = 5
    var score = 1_234.5
    var isHost = true
    var items = ["rope", "lamp"]
    var seed = 42
}

private struct TypedKeys: DefaultsKeyStore {
    var int: DefaultsKey<Int> { DefaultsKey("int", defaultValue: 0) }
    var player: DefaultsKey<Player> { DefaultsKey("player", defaultValue: Player()) }
}
