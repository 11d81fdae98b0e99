import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

/// A value whose deinitializer checks that another thread can read the property that cached this value.
private final class Parting: Codable, Sendable, DefaultsSerializable {
    static let property = Mutex<SwiftyUserDefault<Parting>?>(nil)
    static let answers = Mutex<[Bool]>([])
    let number: Int

    init(number: Int) { self.number = number }

    deinit {
        guard number == 1, let property = Self.property.withLock(\.self) else { return }
        let answer = anotherThreadCan { _ = property.wrappedValue.number }
        Self.answers.withLock { $0.append(answer) }
    }
}

private struct PartingKeys: DefaultsKeyStore, Sendable {
    let parting = DefaultsKey<Parting>("parting", defaultValue: Parting(number: 0))
}

struct ReleasedCacheTests {
    @Test func cachedValueDeinitCanReadProperty() throws {
        let store = MemoryStore()
        let adapter = DefaultsAdapter(store: store, keyStore: PartingKeys())
        adapter.parting = Parting(number: 1)
        let property = SwiftyUserDefault(keyPath: \.parting, adapter: adapter, options: .cached)
        // After this read, only the cache references the value.
        #expect(property.wrappedValue.number == 1)
        Parting.property.withLock { $0 = property }
        property.wrappedValue = Parting(number: 2)
        Parting.property.withLock { $0 = nil }
        #expect(Parting.answers.withLock(\.self) == [true])
        #expect(property.wrappedValue.number == 2)
        #expect(store.verify().isIntact)
    }
}
