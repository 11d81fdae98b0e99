package import LarderCore
import LarderStores

// What features need of the device's storage.
extension DeviceStorage {
    /// The root of a property list, XML or binary, read without Foundation; a keyed archive's references are in XML alone.
    ///
    /// - Throws: An error that says where the list is damaged, or in what form it is that is not read.
    package static func propertyList(_ bytes: [UInt8]) throws -> StoredValue {
        try PropertyListDocument.root(of: bytes)
    }

    /// Whether launch arguments come before stored values unless a program says otherwise, as on Apple platforms.
    package static let readsLaunchArguments = PlatformDeviceStorage.readsLaunchArguments
}
