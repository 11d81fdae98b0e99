// Article
import Foundation
import Larder
// end
import Testing

// The code of the article "Coming from Defaults and @AppStorage", in its order. The test below compares it with the article.

// Article
extension DefaultsKeys {
    var quality: DefaultsKey<Double> { .init("quality", defaultValue: 0.8) }
    var name: DefaultsKey<String?> { .init("name") }
    var since: DefaultsKey<Date> { .init("since", dynamicDefault: { Date() }) }
    var isMuted: DefaultsKey<Bool> { .init("isMuted", defaultValue: false) }
}
// end

private func part1() throws {
    // Article
    Defaults[\.quality] = 0.5
    print(Defaults.quality, Defaults.name ?? "none")  // 0.5 none
    // end
    // Article
    Defaults[\.quality] = 0.5
    Defaults.reset(\.quality, \.name)
    print(Defaults.isDefaultValue(\.quality))
    Defaults.removeAll()
    // end
}

// Article
func follow(_ owner: AnyObject) async {
    Defaults.observe(\.quality) { update in
        print(update.oldValue as Any, update.newValue as Any)
        Defaults.withoutPropagation { Defaults.name = "x" }
    }
    .tieToLifetime(of: owner)
    for await (quality, name) in Defaults.updates(\.quality, \.name) {
        print(quality, name as Any)
    }
}
// end

// Article
struct User: Codable, DefaultsSerializable { var name = "" }
enum Plan: String, Codable, DefaultsSerializable { case free, paid }
// end

// Article
struct Toad { let name: String }

struct ToadCodec: DefaultsCodec {
    func encode(_ toad: Toad) -> StoredValue { .string(toad.name) }
    func decode(_ stored: StoredValue) throws -> Conversion<Toad> {
        guard case .string(let name) = stored else { throw CoreError.NotFound() }
        return Conversion(Toad(name: name))
    }
}

extension Toad: DefaultsSerializable {
    static var _defaults: DefaultsBridge<Toad> { DefaultsCodecBridge(ToadCodec()) }
}
// end

// Article
final class Settings {
    @DefaultsValue(\.isMuted) var isMuted
}
// end

private func part2() throws {
    // Article
    let migration = DefaultsMigration<DefaultsKeys>("from Defaults", [.adopt(\.name), .adopt(\.quality)])
    print(try migration.preview(in: Defaults))
    try migration.run(in: Defaults)
    // end
}

@Suite struct ComingFromDefaultsArticleTests {
    @Test func articleCodeRunsAsDocumented() throws {
        try withDefaults(MemoryStore()) {
            try part1()
            try part2()
        }
    }

    @Test func articleCodeMatchesTestedCode() throws {
        try expectSameCode(article: "LarderDefaults/LarderDefaults.docc/ComingFromDefaults.md", source: #filePath)
    }
}
