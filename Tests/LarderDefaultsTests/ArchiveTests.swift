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

    @Test func unarchivableStructIsRejectedWithoutChangingStoredValues() throws {
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

    @Test func nestedClassIsNotArchived() throws {
        let bridge = DefaultsKeyedArchiverBridge<NestedFrog>()
        let issues = issues { bridge.save(key: "frog", value: NestedFrog(), userDefaults: adapter.defaults) }
        #expect(issues.map(\.code) == [.unsupportedValue])
        #expect(try store.count() == 0)
    }

    @Test func dictionaryOfObjectsIsStoredAsSingleArchive() {
        let bridge = DefaultsKeyedArchiverBridge<[String: ArchivedFrog]>()
        bridge.save(key: "frogs", value: ["a": ArchivedFrog(name: "a")], userDefaults: adapter.defaults)
        #expect(bridge.get(key: "frogs", userDefaults: adapter.defaults) == ["a": ArchivedFrog(name: "a")])
    }

    @Test(arguments: [
        Data(), Data("not an archive".utf8), Data("bplist00".utf8), Data("bplist00 and some garbage".utf8),
    ])
    func nonArchiveBytesReadAsNil(bytes: Data) throws {
        try store.set(.data(bytes), for: "frog")
        let issues = issues { #expect(adapter[key: DefaultsKey<ArchivedFrog?>("frog")] == nil) }
        #expect(issues.map(\.code) == [.readFailed])
        #expect(try store.get("frog") == .data(bytes))
    }

    @Test func nonArchivePropertyListReadsAsNil() throws {
        let list = try PropertyListSerialization.data(fromPropertyList: ["a": 1], format: .binary, options: 0)
        try store.set(.data(list), for: "frog")
        let issues = issues { #expect(adapter[key: DefaultsKey<ArchivedFrog?>("frog")] == nil) }
        #expect(issues.map(\.code) == [.readFailed])
    }

    @Test func archiveOfAnotherClassReadsAsNil() throws {
        let archive = try NSKeyedArchiver.archivedData(withRootObject: ["text"], requiringSecureCoding: false)
        try store.set(.data(archive), for: "frog")
        let issues = issues { #expect(adapter[key: DefaultsKey<ArchivedFrog?>("frog")] == nil) }
        #expect(issues.map(\.code) == [.notConvertible])
    }

    @Test func archiveOfUnknownClassReadsAsNil() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: ArchivedFrog(name: "a"),
            requiringSecureCoding: false
        )
        try store.set(.data(archive.replacing("ArchivedFrog", with: "VanishedFrog")), for: "frog")
        let issues = issues { #expect(adapter[key: DefaultsKey<ArchivedFrog?>("frog")] == nil) }
        #expect(issues.map(\.code) == [.readFailed])
    }

    @Test func archiveWithUndecodableObjectReadsAsNil() throws {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: ArchivedFrog(name: "a"),
            requiringSecureCoding: false
        )
        try store.set(.data(archive.replacing("name", with: "game")), for: "frog")
        let issues = issues { #expect(adapter[key: DefaultsKey<ArchivedFrog?>("frog")] == nil) }
        #expect(issues.count == 1)
    }
}

// These archives are written by hand, with content that Foundation's archiver would not write.
extension ArchiveTests {
    /// Returns an XML archive of the given objects, whose root is object 1.
    private func archive(_ objects: String...) -> Data {
        Data(
            """
            <plist version="1.0"><dict><key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key>
            <integer>100000</integer><key>$top</key><dict><key>root</key>\(reference(1))</dict>
            <key>$objects</key><array><string>$null</string>\(objects.joined())</array></dict></plist>
            """.utf8
        )
    }

    private func reference(_ number: Int) -> String { "<dict><key>CF$UID</key><integer>\(number)</integer></dict>" }

    private func instance(of description: Int, _ parts: String = "") -> String {
        "<dict><key>$class</key>\(reference(description))\(parts)</dict>"
    }

    private func list(of description: Int, _ elements: [Int]) -> String {
        instance(of: description, "<key>NS.objects</key><array>\(elements.map { reference($0) }.joined())</array>")
    }

    private func description(_ name: String) -> String {
        "<dict><key>$classname</key><string>\(name)</string><key>$classes</key><array><string>\(name)</string></array></dict>"
    }

    private var frogClass: String { description(NSStringFromClass(ArchivedFrog.self)) }
    private var frog: DefaultsKey<ArchivedFrog?> { DefaultsKey("frog") }
    private var frogs: DefaultsKey<[ArchivedFrog]?> { DefaultsKey("frog") }

    /// Returns the value of a key, the codes of the reported issues, and whether the stored bytes are unchanged.
    private func read<Value: DefaultsSerializable>(
        _ key: DefaultsKey<Value>,
        _ bytes: Data
    ) throws -> (Value.T, [LarderIssue]) {
        try store.set(.data(bytes), for: "frog")
        var value = key.defaultValue
        let issues = issues { value = adapter[key: key] }
        #expect(try store.get("frog") == .data(bytes))
        return (value, issues)
    }

    private func expectRefused<Value: DefaultsSerializable>(
        _ key: DefaultsKey<Value?>,
        _ bytes: Data,
        because reason: String
    ) throws {
        let (value, issues) = try read(key, bytes)
        #expect(value == nil)
        #expect(issues.map(\.code) == [.readFailed])
        let text = issues.first?.underlying.map { "\($0)" } ?? ""
        #expect(text.contains(reason), "\(text)")
    }

    @Test func xmlArchiveCanBeRead() throws {
        let bytes = archive(instance(of: 2, "<key>name</key>\(reference(3))"), frogClass, "<string>a</string>")
        #expect(try read(frog, bytes).0 == ArchivedFrog(name: "a"))
        let list = archive(
            list(of: 2, [3, 3]),
            description("NSArray"),
            instance(of: 4, "<key>name</key>\(reference(5))"),
            frogClass,
            "<string>a</string>"
        )
        #expect(try read(frogs, list).0?.count == 2)
    }

    @Test func danglingReferenceIsRejected() throws {
        let bytes = archive(instance(of: 2, "<key>name</key>\(reference(9))"), frogClass)
        try expectRefused(frog, bytes, because: "object 9 is missing")
        try expectRefused(frog, archive(instance(of: 9)), because: "without a class")
        try expectRefused(frog, archive(), because: "no root")
    }

    @Test func cyclicArchiveIsRejected() throws {
        try expectRefused(frogs, archive(list(of: 2, [1]), description("NSArray")), because: "contains itself")
        let pair = archive(list(of: 3, [2]), list(of: 3, [1]), description("NSArray"))
        try expectRefused(frogs, pair, because: "contains itself")
    }

    @Test(arguments: [63, 64]) func objectsNested64LevelsDeepAreRead(depth: Int) throws {
        // Each list contains the next one, and the last list is empty.
        let lists = (1...depth).map { list(of: depth + 2, [$0 + 1]) } + [list(of: depth + 2, [])]
        let bytes = archive((lists + [description("NSArray")]).joined())
        #expect(try read(DefaultsKey<[ArchivedFrog]?>("frog"), bytes).1.map(\.code) == [.notConvertible])
    }

    @Test func objectsNested65LevelsDeepAreRejected() throws {
        let lists = (1...65).map { list(of: 67, [$0 + 1]) } + [list(of: 67, [])]
        try expectRefused(
            frogs,
            archive((lists + [description("NSArray")]).joined()),
            because: "more than 64 levels deep"
        )
    }

    @Test func exponentiallyExpandingArchiveIsRejected() throws {
        // Eight levels with ten references each describe a hundred million objects in a few kilobytes.
        let lists = (1...8).map { list(of: 10, Array(repeating: $0 + 1, count: 10)) } + ["<string>a</string>"]
        try expectRefused(frogs, archive((lists + [description("NSArray")]).joined()), because: "1000000 references")
    }

    @Test func disallowedClassIsRejected() throws {
        let name = NSStringFromClass(SecureLeg.self)
        try expectRefused(frog, archive(instance(of: 2), description(name)), because: name)
        // The class is rejected even if no object refers to it.
        let unused = archive(
            instance(of: 2, "<key>name</key>\(reference(3))"),
            frogClass,
            "<string>a</string>",
            description("NSTask")
        )
        try expectRefused(frog, unused, because: "NSTask")
    }

    @Test func archivedClassWithTwoNamesIsRejected() throws {
        let two = frogClass.replacing("<array><string>", with: "<array><string>NSTask</string><string>")
        try expectRefused(frog, archive(instance(of: 2), two), because: "two names")
    }

    @Test func archivedDictionaryWithMissingValueIsRejected() throws {
        let dictionary = instance(
            of: 2,
            "<key>NS.keys</key><array>\(reference(3))</array><key>NS.objects</key><array></array>"
        )
        let bytes = archive(dictionary, description("NSDictionary"), "<string>a</string>")
        try expectRefused(frog, bytes, because: "not a valid NSDictionary")
    }

    @Test func dictionaryWithUndecodableValueIsReported() throws {
        // Foundation on Linux ends the process when it decodes this archive.
        let dictionary = instance(
            of: 2,
            "<key>NS.keys</key><array>\(reference(3))</array><key>NS.objects</key><array>\(reference(4))</array>"
        )
        let bytes = archive(dictionary, description("NSDictionary"), "<string>a</string>", instance(of: 5), frogClass)
        try store.set(.data(bytes), for: "frogs")
        let bridge = DefaultsKeyedArchiverBridge<[String: ArchivedFrog]>()
        let issues = issues { #expect(bridge.get(key: "frogs", userDefaults: adapter.defaults) == nil) }
        #expect(issues.map(\.code) == [.readFailed])
    }

    @Test func dictionaryKeyOfCustomClassIsRejected() throws {
        let dictionary = instance(
            of: 2,
            "<key>NS.keys</key><array>\(reference(3))</array><key>NS.objects</key><array>\(reference(3))</array>"
        )
        try expectRefused(
            frog,
            archive(dictionary, description("NSDictionary"), instance(of: 4), frogClass),
            because: "an invalid key"
        )
    }

    @Test(arguments: ["NSArray", "NSSet", "NSDate", "NSUUID", "NSURL", "NSMutableString", "NSMutableData"])
    func foundationObjectWithoutContentIsRejected(name: String) throws {
        try expectRefused(frog, archive(instance(of: 2), description(name)), because: "not a valid \(name)")
    }

    @Test func classWithManyPropertiesRoundTrips() throws {
        let pond = ArchivedPond()
        pond.frogs = [ArchivedPond()]
        pond.other = pond.frogs[0]
        pond.count = 5
        adapter[key: DefaultsKey<ArchivedPond?>("pond")] = pond
        let read = try adapter.read(DefaultsKey<ArchivedPond?>("pond"))
        #expect(read?.other != nil && read?.other === read?.frogs.first)
        #expect(read?.names == ["a": 1, "b": 2] && read?.tags == ["x"] && read?.count == 5 && read?.isDeep == true)
        #expect(read?.page?.absoluteString == "https://example.com/a/page" && read?.id == pond.id)
        #expect(read?.bytes == pond.bytes && read?.since == pond.since && read?.title == "title")
    }

    @Test func secureCodingClassIsDecodedWithAllowedClasses() throws {
        let key = DefaultsKey<SecureFrog?>("frog")
        adapter[key: key] = SecureFrog(name: "a", legs: [SecureLeg(length: 2)])
        let frog = try adapter.read(key)
        #expect(frog?.name == "a" && frog?.legs.map(\.length) == [2])
        #expect(frog?.wasSecure == true)
    }

    @Test func allowedClassIsRejectedForPropertyOfAnotherClass() throws {
        // Foundation on Linux ends the process when it decodes this archive.
        let secure = description(NSStringFromClass(SecureFrog.self))
        let leg = description(NSStringFromClass(SecureLeg.self))
        let bytes = archive(instance(of: 2, "<key>name</key>\(reference(3))"), secure, instance(of: 4), leg)
        try expectRefused(DefaultsKey<SecureFrog?>("frog"), bytes, because: "SecureLeg where one of")
    }

    @Test func disallowedClassIsNotWritten() throws {
        // A class that adopts only `NSCoding` may contain objects of its own class and of Foundation's classes.
        let bridge = DefaultsKeyedArchiverBridge<SecureFrog>()
        let issues = issues {
            bridge.save(
                key: "frog",
                value: SecureFrog(name: "a", legs: [SecureLeg(length: 1)]),
                userDefaults: adapter.defaults
            )
        }
        #expect(issues.map(\.code) == [.unsupportedValue])
        #expect(try store.count() == 0)
    }

    @Test func arrayOfURLsIsReadFromSingleArchive() throws {
        let addresses = [URL(filePath: "/a"), URL(filePath: "/b")]
        let bridge = DefaultsKeyedArchiverBridge<[URL]>()
        bridge.save(key: "urls", value: addresses, userDefaults: adapter.defaults)
        #expect(bridge.get(key: "urls", userDefaults: adapter.defaults) == addresses)
    }

    @Test func decimalNumberObjectIsNotArchived() throws {
        let bridge = DefaultsKeyedArchiverBridge<NSDecimalNumber>()
        let issues = issues { bridge.save(key: "n", value: NSDecimalNumber(value: 1), userDefaults: adapter.defaults) }
        #expect(issues.map(\.code) == [.unsupportedValue])
    }
}

extension Data {
    /// Returns the data with every occurrence of a string replaced by a string of the same length, so that all offsets remain valid.
    fileprivate func replacing(_ text: String, with other: String) -> Data {
        var copy = self
        while let range = copy.firstRange(of: Data(text.utf8)) { copy.replaceSubrange(range, with: Data(other.utf8)) }
        return copy
    }
}
