import Foundation
import LarderDefaults

/// A class that adopts `NSCoding`, which is declared at the top level because Foundation can't archive nested classes.
final class ArchivedFrog: NSObject, NSCoding, DefaultsSerializable, Sendable {
    let name: String

    init(name: String) { self.name = name }

    init?(coder: NSCoder) {
        guard let name = coder.decodeObject(forKey: "name") as? String else { return nil }
        self.name = name
    }

    func encode(with coder: NSCoder) { coder.encode(name, forKey: "name") }

    override func isEqual(_ object: Any?) -> Bool { (object as? ArchivedFrog)?.name == name }
}

/// A struct that uses the archiver bridge although it can't be archived, as in SwiftyUserDefaults' migration guide.
struct PlainFrog: DefaultsSerializable, Equatable {
    static var _defaults: DefaultsBridge<PlainFrog> { DefaultsKeyedArchiverBridge() }
    static var _defaultsArray: DefaultsBridge<[PlainFrog]> { DefaultsKeyedArchiverBridge() }

    let name: String
}

/// A struct with a hand-written bridge for single values but no bridge for arrays.
struct BridgedFrog: DefaultsSerializable, Equatable {
    static var _defaults: DefaultsBridge<BridgedFrog> { BridgedFrogBridge() }

    let name: String
}

final class BridgedFrogBridge: DefaultsBridge<BridgedFrog> {
    override func get(key: String, userDefaults: UserDefaults) -> BridgedFrog? {
        userDefaults.string(forKey: key).map(BridgedFrog.init)
    }

    override func save(key: String, value: BridgedFrog?, userDefaults: UserDefaults) {
        userDefaults.set(value?.name, forKey: key)
    }

    override func isSerialized() -> Bool { true }

    override func deserialize(_ object: Any) -> BridgedFrog? { (object as? String).map(BridgedFrog.init) }
}

struct CodableFrog: Codable, DefaultsSerializable, Equatable {
    var name: String
    var weight: Double = 1
}

enum Mood: String, DefaultsSerializable { case calm, loud }

enum Size: Int, Codable, DefaultsSerializable { case small = 1, large = 2 }
