import Foundation
import LarderCore
import LarderDefaults
import LarderDeviceStorage
import LarderStores
import Testing

/// Tests behaviors 1 to 9, which concern single keys, for every type.
struct KeyBehaviorTests {
    // Behavior 1.
    @Test func keyHasNameAndDefault() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let key = DefaultsKey<Value>("test", defaultValue: first)
                #expect(key._key == "test")
                #expect(key.defaultValue == first)
                let optional = DefaultsKey<Value?>("test", defaultValue: second)
                #expect(optional._key == "test")
                #expect(optional.defaultValue == second)
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 2.
    @Test func optionalKeyWithoutDefaultReadsAsNil() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                #expect(DefaultsKey<Value?>("test").defaultValue == nil)
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 3.
    @Test func unsetKeyReadsAsDefault() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let key = DefaultsKey<Value>("test", defaultValue: first)
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: OneKey(key: key))
                #expect(adapter[key: key] == first)
                #expect(adapter[\.key] == first)
                #expect(adapter.key == first)
                #expect(adapter.defaults[key: key] == first)
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 4.
    @Test func writtenValueIsReadBack() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value>("test", defaultValue: first)
                for value in [second, third, first] {
                    adapter[key: key] = value
                    #expect(adapter[key: key] == value)
                }
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 5.
    @Test func removedKeyReadsAsDefault() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value>("test", defaultValue: first)
                adapter[key: key] = second
                #expect(adapter.hasKey(key))
                adapter.defaults.removeObject(forKey: "test")
                #expect(adapter[key: key] == first)
                #expect(!adapter.hasKey(key))
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 6.
    @Test func settingOptionalToNilRestoresDefault() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value?>("test", defaultValue: first)
                adapter[key: key] = second
                adapter[key: key] = nil
                #expect(adapter[key: key] == first)
                #expect(!adapter.hasKey(key))
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 7.
    @Test func optionalWithoutDefaultSetToNilReadsAsNil() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value?>("test")
                adapter[key: key] = second
                #expect(adapter[key: key] == second)
                adapter[key: key] = nil
                #expect(adapter[key: key] == nil)
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 8.
    @Test func unsetOptionalEqualsOnlyNil() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: DefaultsKeys())
                let key = DefaultsKey<Value?>("test")
                #expect((adapter[key: key] == nil) == true)
                #expect((adapter[key: key] != first) == true)
            }
        }
        try checkEveryType(Check())
    }

    // Behavior 9.
    @Test func removedOptionalReadsAsDefault() throws {
        struct Check: TypeCheck {
            func check<Value: CheckedType>(_ first: Value, _ second: Value, _ third: Value) where Value.T == Value {
                let keys = OneKey(key: DefaultsKey<Value?>("test", defaultValue: first))
                let adapter = DefaultsAdapter(store: MemoryStore(), keyStore: keys)
                adapter.key = second
                adapter.remove(\.key)
                #expect(!adapter.hasKey(\.key))
                #expect(adapter.key == first)
            }
        }
        try checkEveryType(Check())
    }
}
