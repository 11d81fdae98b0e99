import Foundation
import Larder
import Testing

// Seed 004, the guide from 4.0.0-alpha.1 to 4.0.0-alpha.2 of a typed defaults library. Each sample stands as printed, one after
// the other. Two pieces of the text can't share a scope and are nested in an enum each: the two bridges it prints, which have
// the names of the library's own, and the two forms of its frog.

// MARK: - "Removed type-based default value types"

let key = DefaultsKey<String>("test1", defaultValue: "")

// MARK: - "Updated a way of introducing custom retrieving/saving the values from a type"

enum PrintedBridges {
    public final class DefaultsKeyedArchiverBridge<T>: DefaultsBridge<T> {

        public override func get(key: String, userDefaults: UserDefaults) -> T? {
            guard let data = userDefaults.data(forKey: key) else {
                return nil
            }
            return deserialize(data)
        }

        public override func save(key: String, value: T?, userDefaults: UserDefaults) {
            guard let value = value else {
                userDefaults.removeObject(forKey: key)
                return
            }

            userDefaults.set(NSKeyedArchiver.archivedData(withRootObject: value), forKey: key)
        }

        public override func isSerialized() -> Bool {
            return true
        }

        public override func deserialize(_ object: Any) -> T? {
            guard let data = object as? Data else { return nil }

            return NSKeyedUnarchiver.unarchiveObject(with: data) as? T
        }
    }

    public final class DefaultsArrayBridge<T: Collection>: DefaultsBridge<T> {
        public override func save(key: String, value: T?, userDefaults: UserDefaults) {
            userDefaults.set(value, forKey: key)
        }

        public override func get(key: String, userDefaults: UserDefaults) -> T? {
            return userDefaults.array(forKey: key) as? T
        }
    }
}

// The frog is a plain struct. Behind the library's archiver bridge, here, it is not stored: an issue is reported, and the
// program goes on. Behind the bridge printed above, saving it would end the process inside Foundation, which archives classes
// that adopt NSCoding and nothing else; no library has a say there, so that pair is not tested.
enum ArchivedFrogs {
    struct FrogCustomSerializable: DefaultsSerializable {

        static var _defaults: DefaultsBridge<FrogCustomSerializable> { return DefaultsKeyedArchiverBridge() }
        static var _defaultsArray: DefaultsBridge<[FrogCustomSerializable]> { return DefaultsKeyedArchiverBridge() }

        let name: String
    }
}

enum BridgedFrogs {
    final class DefaultsFrogBridge: DefaultsBridge<FrogCustomSerializable> {
        override func get(key: String, userDefaults: UserDefaults) -> FrogCustomSerializable? {
            let name = userDefaults.string(forKey: key)
            return name.map(FrogCustomSerializable.init)
        }

        override func save(key: String, value: FrogCustomSerializable?, userDefaults: UserDefaults) {
            userDefaults.set(value?.name, forKey: key)
        }

        public override func isSerialized() -> Bool {
            return true
        }

        public override func deserialize(_ object: Any) -> FrogCustomSerializable? {
            guard let name = object as? String else { return nil }

            return FrogCustomSerializable(name: name)
        }
    }

    final class DefaultsFrogArrayBridge: DefaultsBridge<[FrogCustomSerializable]> {
        override func get(key: String, userDefaults: UserDefaults) -> [FrogCustomSerializable]? {
            return userDefaults.array(forKey: key)?
                .compactMap { $0 as? String }
                .map(FrogCustomSerializable.init)
        }

        override func save(key: String, value: [FrogCustomSerializable]?, userDefaults: UserDefaults) {
            let values = value?.map { $0.name }
            userDefaults.set(values, forKey: key)
        }

        public override func isSerialized() -> Bool {
            return true
        }

        public override func deserialize(_ object: Any) -> [FrogCustomSerializable]? {
            guard let names = object as? [String] else { return nil }

            return names.map(FrogCustomSerializable.init)
        }
    }

    struct FrogCustomSerializable: DefaultsSerializable, Equatable {

        static var _defaults: DefaultsBridge<FrogCustomSerializable> { return DefaultsFrogBridge() }
        static var _defaultsArray: DefaultsBridge<[FrogCustomSerializable]> { return DefaultsFrogArrayBridge() }

        let name: String
    }
}

// The library says the same of Data. The compiler warns that the conformance was already stated, and uses the library's.
extension Data: DefaultsSerializable {
    public static var _defaults: DefaultsBridge<Data> { return DefaultsDataBridge() }
    public static var _defaultsArray: DefaultsBridge<[Data]> { return DefaultsArrayBridge() }
}

// MARK: - What the guide says about them

/// A class that archives itself, for the printed archiver bridge.
nonisolated final class SeedArchivedFrog: NSObject, NSCoding {
    let name: String

    init(name: String) { self.name = name }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(forKey: "name") as? String else { return nil }
        self.name = name
    }

    func encode(with coder: NSCoder) { coder.encode(name, forKey: "name") }
}

@Suite struct Seed004 {
    private let store: any KeyValueStore = MemoryStore()
    private let adapter: DefaultsAdapter<DefaultsKeys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    @Test func keyContainsDefaultValue() {
        #expect(Defaults[key: key] == "")
        #expect(adapter[key: key] == "")
        adapter[key: key] = "set"
        #expect(adapter[key: key] == "set")
    }

    @Test func documentedArchiverBridgeRoundTripsClass() throws {
        let bridge = PrintedBridges.DefaultsKeyedArchiverBridge<SeedArchivedFrog>()
        bridge.save(key: "frog", value: SeedArchivedFrog(name: "Kermit"), userDefaults: adapter.defaults)
        #expect(bridge.get(key: "frog", userDefaults: adapter.defaults)?.name == "Kermit")
        bridge.save(key: "frog", value: nil, userDefaults: adapter.defaults)
        #expect(bridge.get(key: "frog", userDefaults: adapter.defaults) == nil)
        #expect(bridge.isSerialized())
    }

    @Test func documentedArrayBridgeRoundTripsStrings() {
        let bridge = PrintedBridges.DefaultsArrayBridge<[String]>()
        bridge.save(key: "names", value: ["Kermit", ""], userDefaults: adapter.defaults)
        #expect(bridge.get(key: "names", userDefaults: adapter.defaults) == ["Kermit", ""])
        bridge.save(key: "names", value: nil, userDefaults: adapter.defaults)
        #expect(bridge.get(key: "names", userDefaults: adapter.defaults) == nil)
    }

    @Test func archiverBridgeDoesNotStorePlainStruct() throws {
        try store.set("before", for: "frog")
        try store.set("other", for: "other")
        let single = DefaultsKey<ArchivedFrogs.FrogCustomSerializable?>("frog")
        let list = DefaultsKey<[ArchivedFrogs.FrogCustomSerializable]>("frog", defaultValue: [])
        let codes = issueCodes {
            adapter[key: single] = ArchivedFrogs.FrogCustomSerializable(name: "Kermit")
            adapter[key: list] = [ArchivedFrogs.FrogCustomSerializable(name: "Kermit")]
        }
        #expect(codes == [.unsupportedValue, .unsupportedValue])
        #expect(try store.get("frog") == "before")
        #expect(try store.get("other") == "other")
    }

    @Test func customBridgeRoundTripsValue() throws {
        let frog = DefaultsKey<BridgedFrogs.FrogCustomSerializable>("frog", defaultValue: .init(name: "default"))
        #expect(adapter[key: frog] == BridgedFrogs.FrogCustomSerializable(name: "default"))
        adapter[key: frog] = BridgedFrogs.FrogCustomSerializable(name: "Kermit")
        #expect(adapter[key: frog] == BridgedFrogs.FrogCustomSerializable(name: "Kermit"))
        #expect(try store.get("frog") == "Kermit")
    }

    @Test func customArrayBridgeRoundTripsArray() throws {
        let frogs = DefaultsKey<[BridgedFrogs.FrogCustomSerializable]>("frogs", defaultValue: [])
        adapter[key: frogs] = [.init(name: "Kermit"), .init(name: "Robin")]
        #expect(adapter[key: frogs] == [.init(name: "Kermit"), .init(name: "Robin")])
        #expect(try store.get("frogs") == ["Kermit", "Robin"])
    }

    @Test func extendedTypeRoundTrips() {
        let bytes = DefaultsKey<Data?>("bytes")
        let list = DefaultsKey<[Data]>("list", defaultValue: [])
        adapter[key: bytes] = Data([1, 2])
        adapter[key: list] = [Data(), Data([3])]
        #expect(adapter[key: bytes] == Data([1, 2]))
        #expect(adapter[key: list] == [Data(), Data([3])])
    }

    private func issueCodes(during work: () -> Void) -> [LarderIssue.Code] {
        let collected = IssueCodes()
        withIssueHandler({ collected.add($0.code) }, operation: work)
        return collected.all
    }
}

/// Collects the codes of issues, from any thread.
private nonisolated final class IssueCodes: @unchecked Sendable {
    // Sendable because `codes` is reached under `lock` alone.
    private let lock = NSLock()
    private var codes: [LarderIssue.Code] = []

    var all: [LarderIssue.Code] { lock.withLock { codes } }

    func add(_ code: LarderIssue.Code) { lock.withLock { codes.append(code) } }
}
