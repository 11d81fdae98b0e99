import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import Observation
import Testing

private struct WrapperKeys: DefaultsKeyStore, Sendable {
    let count = DefaultsKey<Int>("count", defaultValue: 1)
    let theme = DefaultsKey<String?>("theme", defaultValue: "light")
}

extension DefaultsKeys {
    fileprivate var wrapped: DefaultsKey<Int> { .init("PropertyWrapperTests.wrapped", defaultValue: 7) }
}

struct PropertyWrapperTests {
    private let store: any KeyValueStore = MemoryStore()
    private let adapter: DefaultsAdapter<WrapperKeys>

    init() { adapter = DefaultsAdapter(store: store, keyStore: WrapperKeys()) }

    // Behavior 32.
    @Test(arguments: [[], .cached, .observed, [.cached, .observed]] as [SwiftyUserDefaultOptions])
    func propertyWrapperUsesOwnAdapter(options: SwiftyUserDefaultOptions) throws {
        let count = SwiftyUserDefault(keyPath: \.count, adapter: adapter, options: options)
        let theme = SwiftyUserDefault(keyPath: \.theme, adapter: adapter, options: options)
        #expect(count.wrappedValue == 1)
        #expect(theme.wrappedValue == "light")
        count.wrappedValue = 5
        count.wrappedValue += 1
        theme.wrappedValue = "dark"
        #expect(count.wrappedValue == 6)
        #expect(try store.get("count") == 6)
        #expect(theme.wrappedValue == "dark")
        theme.wrappedValue = nil
        #expect(theme.wrappedValue == "light")
        #expect(count.key == WrapperKeys().count)
        #expect(count.options == options)
        adapter.removeAll()
        #expect(try store.count() == 0)
    }

    @Test func cachedPropertySeesOnlyOwnWrites() {
        let count = SwiftyUserDefault(keyPath: \.count, adapter: adapter, options: .cached)
        #expect(count.wrappedValue == 1)
        adapter.count = 2
        #expect(count.wrappedValue == 1)
        count.wrappedValue += 1
        #expect(count.wrappedValue == 3)
    }

    @Test func observedPropertySeesEveryChange() {
        let count = SwiftyUserDefault(keyPath: \.count, adapter: adapter, options: .observed)
        let plain = SwiftyUserDefault(keyPath: \.count, adapter: adapter)
        #expect(count.wrappedValue == 1)
        adapter.count = 2
        #expect(count.wrappedValue == 2)
        #expect(plain.wrappedValue == 2)
        adapter.remove(\.count)
        #expect(count.wrappedValue == 1)
    }

    @Test func concurrentInPlacePropertyMutationsAreNotLost() async {
        let count = DefaultsValue(WrapperKeys().count, in: adapter)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<100 { count.wrappedValue += 1 } } }
        }
        #expect(count.wrappedValue == 801)
    }

    // Behavior 57.
    @Test func observationTrackingReportsChangesByOtherCode() {
        final class Model {
            @DefaultsValue(WrapperKeys().count, in: DefaultsAdapter(store: MemoryStore(), keyStore: WrapperKeys()))
            var unrelated
            let value: DefaultsValue<Int>
            init(_ value: DefaultsValue<Int>) { self.value = value }
        }
        let (first, second) = (
            Model(DefaultsValue(WrapperKeys().count, in: adapter)),
            Model(DefaultsValue(WrapperKeys().count, in: adapter))
        )
        let changes = Recorder<String>()
        withObservationTracking {
            _ = (first.value.wrappedValue, first.unrelated)
        } onChange: {
            changes.add("first")
        }
        second.unrelated += 1
        #expect(changes.all.isEmpty)
        second.value.wrappedValue = 4
        #expect(changes.all == ["first"])
        #expect(first.value.wrappedValue == 4)
        withObservationTracking {
            _ = first.value.wrappedValue
        } onChange: {
            changes.add("outside")
        }
        adapter.defaults.set(9, forKey: "count")
        #expect(changes.all == ["first", "outside"])
        #expect(first.value.wrappedValue == 9)
    }

    @Test func globalAdapterPropertiesUseStorePassedToWithDefaults() {
        struct Settings {
            @SwiftyUserDefault(keyPath: \.wrapped) var plain: Int
            @DefaultsValue(\.wrapped) var followed: Int
        }
        withDefaults(MemoryStore()) {
            let settings = Settings()
            #expect(settings.plain == 7)
            settings.plain = 8
            #expect(settings.followed == 8)
            #expect(Defaults[\.wrapped] == 8)
        }
        #expect(Defaults[\.wrapped] == 7)
    }
}
