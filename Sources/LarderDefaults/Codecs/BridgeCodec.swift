import LarderCore
import LarderDeviceStorage

/// What a hand-written bridge saves for one value, found out by letting it save into a storage of its own.
struct BridgeCodec<Value>: DefaultsCodec {
    let bridge: DefaultsBridge<Value>

    func encode(_ value: Value) throws -> StoredValue {
        let scratch = DeviceStorage.makeScratchStore()
        bridge.save(key: Self.key, value: value, userDefaults: StoreUserDefaults(scratch))
        guard let stored = try scratch.get(Self.key) else {
            throw CoreError.Failed("\(type(of: bridge)) saved nothing for a value.")
        }
        return stored
    }

    func decode(_ stored: StoredValue) throws -> Conversion<Value> {
        let scratch = DeviceStorage.makeScratchStore()
        try scratch.set(stored, for: Self.key)
        guard let value = bridge.get(key: Self.key, userDefaults: StoreUserDefaults(scratch)) else {
            throw notConvertible(stored)
        }
        return Conversion(value)
    }

    private static var key: String { "element" }
}
