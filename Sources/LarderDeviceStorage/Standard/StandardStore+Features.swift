// Settings of the device's storage for other targets.
extension StandardStore {
    /// Whether `Defaults` reads launch arguments before stored values, as on Apple platforms.
    package static let readsLaunchArguments = PlatformStandardStore.readsLaunchArguments
}
