package import LarderCore
import LarderStores

extension DeviceStorage {
    /// A store in memory that goes when it is let go of, for features, which do not know the engines.
    package static func makeScratchStore() -> any KeyValueStore { MemoryStore(name: "scratch") }
}

extension DeviceStorage {
    /// Whether launch arguments come before stored values unless a program says otherwise, as on Apple platforms.
    package static let readsLaunchArguments = PlatformDeviceStorage.readsLaunchArguments
}
