import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStorage
import LarderFiles
import LarderStores
import LarderTestSupport
import LarderTesting
import Testing

extension DefaultsKeys {
    fileprivate var theme: DefaultsKey<String?> { .init("the.me", defaultValue: "light") }
    fileprivate var number: DefaultsKey<Int> { .init("@number", defaultValue: 1) }
}

/// Tests behaviors 59 to 66, which come from swift-sharing and from the requirements for a store in a file.
///
/// Larder deliberately differs from swift-sharing in behaviors 59 and 63.
struct SharingBehaviorTests {
    private let store = RecordingStore(MemoryStore())
    private let adapter: DefaultsAdapter<DefaultsKeys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: DefaultsKeys()) }

    // Behavior 59.
    @Test func firstReadReturnsKeyDefaultWithoutWriting() {
        #expect(adapter[key: DefaultsKey<Int>("n", defaultValue: 1)] == 1)
        #expect(adapter[key: DefaultsKey<Int>("n", defaultValue: 2)] == 2)
        #expect(store.writes.isEmpty)
    }

    // Behavior 60.
    @Test func valueSetByOtherCodeIsReadForKeyWithSpecialCharacters() {
        let (theme, number) = (
            DefaultsValue(DefaultsKeys().theme, in: adapter), DefaultsValue(DefaultsKeys().number, in: adapter)
        )
        #expect(theme.wrappedValue == "light" && number.wrappedValue == 1)
        adapter.defaults.set("dark", forKey: "the.me")
        adapter.defaults.set(2, forKey: "@number")
        #expect(theme.wrappedValue == "dark" && number.wrappedValue == 2)
    }

    // Behavior 61.
    @Test func optionalReadsAsDefaultAfterRemovalOrNilAssignment() {
        let theme = DefaultsValue(DefaultsKeys().theme, in: adapter)
        theme.wrappedValue = "dark"
        adapter.defaults.removeObject(forKey: "the.me")
        #expect(theme.wrappedValue == "light")
        theme.wrappedValue = "dark"
        // swift-sharing keeps nil in memory until the next launch. In Larder, the property always has the same value as the store.
        theme.wrappedValue = nil
        #expect(theme.wrappedValue == "light")
    }

    // Behavior 62.
    @Test func observersReceiveChangesByAnotherAdapter() {
        let base = MemoryStore()
        let (one, two) = (
            DefaultsAdapter(store: base, keyStore: DefaultsKeys()),
            DefaultsAdapter(store: base, keyStore: DefaultsKeys())
        )
        let told = Recorder<String?>()
        let token = one.observe(\.theme) { told.add($0.newValue ?? nil) }
        two.theme = "dark"
        #expect(told.all == ["dark"] && one.theme == "dark")
        token.dispose()
    }

    // Behavior 63.
    @Test func readingDoesNotOverwriteValueOfWrongType() throws {
        try store.set([1, 2], for: "@number")
        store.forgetWrites()
        withIssueHandler({ _ in }) { #expect(adapter.number == 1) }
        #expect(store.writes.isEmpty)
        #expect(try store.get("@number") == [1, 2])
    }

    // Behavior 64.
    @Test func everyWriteIsPersistedOnReturn() throws {
        let folder = try TemporaryDirectory()
        let path = folder.url("s.plist").path
        let written = DefaultsAdapter(store: try PropertyListStore(path: path), keyStore: DefaultsKeys())
        for number in 2...5 {
            written.number = number
            let read = DefaultsAdapter(store: try PropertyListStore(path: path), keyStore: DefaultsKeys())
            #expect(read.number == number)
        }
    }

    // Behavior 65.
    @Test func corruptFileIsRejectedAndNeverReplaced() throws {
        let folder = try TemporaryDirectory()
        let file = folder.url("s.plist")
        try Data("<plist><dict><key>a".utf8).write(to: file)
        #expect(throws: StoreError.self) { try PropertyListStore(path: file.path) }
        #expect(try Data(contentsOf: file) == Data("<plist><dict><key>a".utf8))
    }

    // Behavior 65.
    @Test func incrementsByThousandTasksAreNotLost() async {
        let adapter = adapter
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<1_000 { group.addTask { for _ in 0..<10 { adapter.number += 1 } } }
        }
        #expect(adapter.number == 10_001)
    }

    // Behavior 66.
    @Test func failedWriteIsReportedAndReadingAbsentValueThrows() throws {
        #expect { try adapter.read(\.number) } throws: { ($0 as? DefaultsError)?.code == .absent }
        let long = DefaultsKey<Int>(String(repeating: "k", count: 100_000), defaultValue: 1)
        #expect(issues { adapter[key: long] = 2 }.map(\.code).contains(.writeFailed))
        #expect(throws: StoreError.self) { try adapter.write(long, 2) }
        #expect(try store.verify().isIntact)
    }
}
