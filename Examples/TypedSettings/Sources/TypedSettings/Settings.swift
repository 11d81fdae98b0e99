import Foundation
import LarderDefaults

/// An enum that can be used as a setting, which needs only an empty conformance.
enum Theme: String, DefaultsSerializable, CaseIterable { case light, dark }

/// The size of a window, which is a `Codable` setting that is stored as JSON.
struct Window: Codable, DefaultsSerializable, Sendable, Equatable {
    var width = 800
    var height = 600
}

/// The keys of all settings, with their names, types and default values.
struct Settings: DefaultsKeyStore {
    let theme = DefaultsKey<Theme>("theme", defaultValue: .light)
    let volume = DefaultsKey<Double>("volume", was: "loudness", defaultValue: 0.5, validation: .clamp(to: 0...1))
    let userName = DefaultsKey<String?>("userName")
    let recentFiles = DefaultsKey<[URL]>("recentFiles", defaultValue: [])
    let window = DefaultsKey<Window>("window", defaultValue: Window())
    let launchCount = DefaultsKey<Int>("launchCount", defaultValue: 0)
}
