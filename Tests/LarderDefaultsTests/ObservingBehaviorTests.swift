import Foundation
import LarderCore
import LarderDefaults
import LarderStores
import LarderTestSupport
import Testing

/// Tests behaviors 12 to 18, which concern observers, for every type.
struct ObservingBehaviorTests {
    // Behavior 12.
    @Test func firstWriteOfOptionalReportsNilAsOldValue() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value?>("test")
                let updates = Recorder<DefaultsUpdate<Value?>>()
                let token = adapter.observe(key, options: [.old, .new, .initial]) { updates.add($0) }
                #expect(updates.all.count == 1)
                #expect(updates.all[0].oldValue == nil)
                #expect(updates.all[0].newValue == nil)
                adapter[key: key] = first
                #expect(updates.all.count == 2)
                #expect(updates.all[1].oldValue == nil)
                #expect(updates.all[1].newValue == first)
                token.dispose()
                let later = Recorder<DefaultsUpdate<Value?>>()
                let other = adapter.observe(key, options: [.old, .new, .initial]) { later.add($0) }
                #expect(later.all.count == 1)
                #expect(later.all[0].oldValue == nil)
                #expect(later.all[0].newValue == first)
                other.dispose()
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 13.
    @Test func removalOfOptionalReportsNilAsNewValue() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value?>("test")
                adapter[key: key] = second
                let updates = Recorder<DefaultsUpdate<Value?>>()
                let token = adapter.observe(key) { updates.add($0) }
                adapter[key: key] = nil
                #expect(updates.all.count == 1)
                #expect(updates.all[0].oldValue == second)
                #expect(updates.all[0].newValue == nil)
                token.dispose()
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 14.
    @Test func firstWriteOfOptionalReportsDefaultAsOldValue() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value?>("test", defaultValue: first)
                let updates = Recorder<DefaultsUpdate<Value?>>()
                let token = adapter.observe(key) { updates.add($0) }
                adapter[key: key] = second
                adapter[key: key] = nil
                #expect(updates.all.map(\.oldValue) == [first, second])
                #expect(updates.all.map(\.newValue) == [second, first])
                token.dispose()
                adapter[key: key] = second
                let initial = Recorder<DefaultsUpdate<Value?>>()
                let other = adapter.observe(key, options: [.old, .new, .initial]) { initial.add($0) }
                #expect(initial.all.map(\.oldValue) == [first])
                #expect(initial.all.map(\.newValue) == [second])
                other.dispose()
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 15.
    @Test func firstWriteReportsDefaultAsOldValue() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value>("test", defaultValue: first)
                let updates = Recorder<DefaultsUpdate<Value>>()
                let token = adapter.observe(key, options: [.old, .new, .initial]) { updates.add($0) }
                adapter[key: key] = second
                #expect(updates.all.map(\.oldValue) == [first, first])
                #expect(updates.all.map(\.newValue) == [first, second])
                token.dispose()
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 16.
    @Test func handlerReadsNewValue() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value>("test", defaultValue: first)
                let read = Recorder<Bool>()
                let token = adapter.observe(key) { read.add($0.newValue == adapter[key: key]) }
                adapter[key: key] = second
                #expect(read.all == [true])
                token.dispose()
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 17.
    @Test func handlerReadsNewValueWrittenByAnotherThread() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value>("test", defaultValue: first)
                let read = Recorder<Bool>()
                let token = adapter.observe(key) { read.add($0.newValue == adapter[key: key] && $0.oldValue == first) }
                DispatchQueue.global(qos: .utility).sync { adapter[key: key] = second }
                #expect(read.all == [true])
                token.dispose()
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 18.
    @Test func disposedObservationReceivesNoUpdates() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value>("test", defaultValue: first)
                let updates = Recorder<Value?>()
                let token = adapter.observe(key) { updates.add($0.newValue) }
                token.dispose()
                token.dispose()
                adapter[key: key] = second
                var dropped: (any DefaultsDisposable)? = adapter.observe(key) { updates.add($0.newValue) }
                withExtendedLifetime(dropped) {}
                dropped = nil
                adapter[key: key] = first
                #expect(updates.all.isEmpty)
            }
        }
        try checkEveryType(Check())
    }
}
