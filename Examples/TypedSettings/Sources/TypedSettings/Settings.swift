import Foundation
import LarderDefaults

/// A type of the program's own: an empty conformance makes it a setting.
enum Theme: String, DefaultsSerializable, CaseIterable { case light, dark }

/// One that is kept as JSON.
struct Window: Codable, DefaultsSerializable, Sendable, Equatable {
    var width = 800
    var height = 600
}

/// Every setting: its name, its type and its default.
struct Settings: DefaultsKeyStore {
    let theme = DefaultsKey<Theme>("theme", defaultValue: .light)
    let volume = DefaultsKey<Double>("volume", was: "loudness", defaultValue: 0.5, validation: .clamp(to: 0...1))
    let userName = DefaultsKey<String?>("userName")
    let recentFiles = DefaultsKey<[URL]>("recentFiles", defaultValue: [])
    let window = DefaultsKey<Window>("window", defaultValue: Window())
    let launchCount = DefaultsKey<Int>("launchCount", defaultValue: 0)
}
