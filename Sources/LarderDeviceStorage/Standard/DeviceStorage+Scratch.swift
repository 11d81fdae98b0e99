package import LarderCore
import LarderStores

extension DeviceStorage {
    /// A store in memory that goes when it is let go of, for features, which do not know the engines.
    package static func makeScratchStore() -> any KeyValueStore { MemoryStore(name: "scratch") }

    /// The root of a property list, XML or binary, read without Foundation; a keyed archive's references are in XML alone.
    ///
    /// - Throws: An error that says where the list is damaged, or in what form it is that is not read.
    package static func propertyList(_ bytes: [UInt8]) throws -> StoredValue {
        try PropertyListDocument.root(of: bytes)
    }
}

extension DeviceStorage {
    /// Whether launch arguments come before stored values unless a program says otherwise, as on Apple platforms.
    package static let readsLaunchArguments = PlatformDeviceStorage.readsLaunchArguments
}
