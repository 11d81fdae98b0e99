// What features need of the device's storage.
extension DeviceStorage {
    /// Whether launch arguments come before stored values unless a program says otherwise, as on Apple platforms.
    package static let readsLaunchArguments = PlatformDeviceStorage.readsLaunchArguments
}
