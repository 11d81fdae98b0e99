import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import Testing

struct ArchiveTests {
    private final class NestedFrog: NSObject, NSCoding {
        override init() {}
        init?(coder: NSCoder) {}
        func encode(with coder: NSCoder) {}
    }

    private let store: any KeyValueStore = MemoryStore()
    private var adapter: DefaultsAdapter<DefaultsKeys> { DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    @Test func aPlainStructIsNotStoredAndTheRestStays() throws {
        adapter[key: DefaultsKey<Int>("other", defaultValue: 0)] = 1
        try store.set("before", for: "frog")
        let issues = issues {
            adapter[key: DefaultsKey<PlainFrog?>("frog")] = PlainFrog(name: "a")
            adapter[key: DefaultsKey<[PlainFrog]>("frog", defaultValue: [])] = [PlainFrog(name: "a")]
        }
        #expect(issues.map(\.code) == [.unsupportedValue, .unsupportedValue])
        #expect(issues.allSatisfy { $0.key == "frog" && $0.underlying is CoreError.IllegalArgument })
        #expect(try store.get("frog") == "before")
        #expect(try store.get("other") == 1)
        #expect(try store.verify().isIntact)
    }

    @Test func aNestedClassIsNotStored() throws {
        let bridge = DefaultsKeyedArchiverBridge<NestedFrog>()
        let issues = issues { bridge.save(key: "frog", value: NestedFrog(), userDefaults: adapter.defaults) }
        #expect(issues.map(\.code) == [.unsupportedValue])
        #expect(try store.count() == 0)
    }

    @Test func aDictionaryOfObjectsIsOneArchive() {
        let bridge = DefaultsKeyedArchiverBridge<[String: ArchivedFrog]>()
        bridge.save(key: "frogs", value: ["a": ArchivedFrog(name: "a")], userDefaults: adapter.defaults)
        #expect(bridge.get(key: "frogs", userDefaults: adapter.defaults) == ["a": ArchivedFrog(name: "a")])
    }

    @Test(arguments: [
        Data(), Data("not an archive".utf8), Data("bplist00".utf8), Data("bplist00 and some garbage".utf8),
    ])
    func bytesThatAreNoArchiveReadAsNothing(bytes: Data) throws {
        try store.set(.data(bytes), for: "frog")
        let issues = issues { #expect(adapter[key: DefaultsKey<ArchivedFrog?>("frog")] == nil) }
        #expect(issues.map(\.code) == [.readFailed])
        #expect(try store.get("frog") == .data(bytes))
    }

    @Test func aPropertyListThatIsNoArchiveReadsAsNothing() throws {
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        try store.set(.data(list), for: "frog")
        let issues = issues { #expect(adapter[key: DefaultsKey<ArchivedFrog?>("frog")] == nil) }
        #expect(issues.map(\.code) == [.readFailed])
    }

    @Test func anArchiveOfAnotherClassReadsAsNothing() throws {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: ["text"], requiringSecureCoding: false)
        try store.set(.data(archive), for: "frog")
        let issues = issues { #expect(adapter[key: DefaultsKey<ArchivedFrog?>("frog")] == nil) }
        #expect(issues.map(\.code) == [.notConvertible])
    }

    @Test func anArchiveOfAnUnknownClassReadsAsNothing() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: ArchivedFrog(name: "a"),
            requiringSecureCoding: false
        )
        try store.set(.data(archive.replacing("ArchivedFrog", with: "VanishedFrog")), for: "frog")
        let issues = issues { #expect(adapter[key: DefaultsKey<ArchivedFrog?>("frog")] == nil) }
        #expect(issues.map(\.code) == [.readFailed])
    }

    @Test func anArchiveWhoseObjectRefusesReadsAsNothing() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: ArchivedFrog(name: "a"),
            requiringSecureCoding: false
        )
        try store.set(.data(archive.replacing("name", with: "game")), for: "frog")
        let issues = issues { #expect(adapter[key: DefaultsKey<ArchivedFrog?>("frog")] == nil) }
        #expect(issues.count == 1)
    }
}

extension Data {
    /// Every occurrence of a text replaced by one of the same length, which keeps the offsets inside right.
    fileprivate func replacing(_ text: String, with other: String) -> Data {
        var copy = self
        while let range = copy.firstRange(of: Data(text.utf8)) { copy.replaceSubrange(range, with: Data(other.utf8)) }
        return copy
    }
}
