import Foundation
// Article
import Larder
// end
import Testing

// The code of the article "Coming from SwiftyUserDefaults", in its order. The test below compares it with the article.

// Article
extension DefaultsKeys {
    var userName: DefaultsKey<String?> { .init("userName") }
    var visits: DefaultsKey<Int> { .init("visits", defaultValue: 0) }
    var colours: DefaultsKey<[String]> { .init("colours", defaultValue: []) }
    var theme: DefaultsKey<String?> { .init("theme", defaultValue: "light") }
}
// end

private func part0() {
    // Article
    Defaults[\.visits] += 1
    print(Defaults.visits, Defaults.theme ?? "none")  // 1 light
    // end
}

// Article
struct GameKeys: DefaultsKeyStore {
    let level = DefaultsKey<Int>("level", defaultValue: 1)
}
// end

private func part1() throws {
    // Article
    Defaults[\.visits] += 1
    Defaults.userName = "Ada"
    let count = Defaults[key: DefaultsKey<Int>("visits", defaultValue: 0)]
    try Defaults.write(\.visits, count + 1)  // throws what the subscripts report
    print(try Defaults.read(\.userName) as Any)  // distinguishes absent, wrong type and undecodable
    try Defaults.modify(\.visits) { $0 += 1 }  // atomic among processes too
    if Defaults.hasKey(\.userName) { Defaults.remove(\.userName) }
    Defaults.removeAll()
    // end
}

// Article
final class MockDefaults: DefaultsProviding {
    private var values: [String: Any] = [:]

    subscript<Value: DefaultsSerializable>(key key: DefaultsKey<Value>) -> Value.T {
        get { values[key._key] as? Value.T ?? key.defaultValue }
        set { values[key._key] = newValue }
    }
    func hasKey<Value>(_ keyPath: KeyPath<DefaultsKeys, DefaultsKey<Value>>) -> Bool {
        values[keyStore[keyPath: keyPath]._key] != nil
    }
    func remove<Value>(_ keyPath: KeyPath<DefaultsKeys, DefaultsKey<Value>>) {
        values[keyStore[keyPath: keyPath]._key] = nil
    }
    func removeAll() { values = [:] }
}
// end

// Article
func groupSettings() -> DefaultsAdapter<GameKeys> {
    DefaultsAdapter(defaults: UserDefaults(suiteName: "group.example") ?? .standard, keyStore: GameKeys())
}
// end

private func part2() throws {
    // Article
    let memory = DefaultsAdapter(store: MemoryStore(), keyStore: GameKeys())
    memory.level = 2
    // end
}

private func part3() throws {
    // Article
    withDefaults(MemoryStore()) {
        Defaults.visits = 3
    }
    // end
}

private func part4() throws {
    // Article
    let token = Defaults.observe(\.userName, options: [.initial, .old, .new]) { update in
        print(update.oldValue as Any, update.newValue as Any, update.isPrior)
    }
    token.dispose()
    // end
}

// Article
final class GameSession {
    @SwiftyUserDefault(keyPath: \.visits, options: .observed) var count: Int
    @SwiftyUserDefault(keyPath: \.level, adapter: DefaultsAdapter(store: MemoryStore(), keyStore: GameKeys()))
    var level: Int
    @DefaultsValue(\.theme) var theme
}
// end

// Article
enum Colour: String, Codable, DefaultsSerializable { case red, green }
struct Score: Codable, DefaultsSerializable { var points = 0 }

struct Frog { let name: String }

final class FrogBridge: DefaultsBridge<Frog> {
    override func get(key: String, userDefaults: UserDefaults) -> Frog? {
        userDefaults.string(forKey: key).map(Frog.init)
    }
    override func save(key: String, value: Frog?, userDefaults: UserDefaults) {
        userDefaults.set(value?.name, forKey: key)
    }
    override func isSerialized() -> Bool { true }
    override func deserialize(_ object: Any) -> Frog? { (object as? String).map(Frog.init) }
}

extension Frog: DefaultsSerializable {
    static var _defaults: DefaultsBridge<Frog> { FrogBridge() }
}
// end

private func part5() throws {
    // Article
    let migration = DefaultsMigration<DefaultsKeys>(
        "from SwiftyUserDefaults",
        [.adopt(\.colours), .rename("user_name", to: \.userName), .remove("unused")]
    )
    print(try migration.preview(in: Defaults))
    try migration.run(in: Defaults)
    // end
}

private func part6() throws {
    // Article
    let layered = DefaultsAdapter(store: StandardStore.shared, keyStore: DefaultsKeys(), layers: [.arguments()])
    print(layered.visits)
    // end
}

@Suite struct ComingFromSwiftyUserDefaultsArticleTests {
    @Test func articleCodeRunsAsDocumented() throws {
        try withDefaults(MemoryStore()) {
            part0()
            try part1()
            try part2()
            try part3()
            try part4()
            try part5()
            try part6()
        }
    }

    @Test func articleCodeMatchesTestedCode() throws {
        try expectSameCode(
            article: "LarderDefaults/LarderDefaults.docc/ComingFromSwiftyUserDefaults.md",
            source: #filePath
        )
    }
}
