import Foundation
import LarderTestSupport

/// A `UserDefaults` suite whose file is in a temporary folder, because on non-Apple platforms a suite name may be a path.
struct TemporarySuite {
    let folder: TemporaryDirectory
    let userDefaults: UserDefaults

    var path: String { folder.path("suite.plist") }

    init() throws {
        folder = try TemporaryDirectory()
        userDefaults = try Self.open(folder.path("suite"))
    }

    /// Returns the suite as a newly started program reads it, by copying it to another path that Foundation has not cached.
    func relaunched(as name: String = "relaunched") throws -> UserDefaults {
        try FileManager.default.copyItem(atPath: path, toPath: folder.path(name + ".plist"))
        return try Self.open(folder.path(name))
    }

    private static func open(_ path: String) throws -> UserDefaults {
        guard let userDefaults = UserDefaults(suiteName: path) else { throw CocoaError(.featureUnsupported) }
        return userDefaults
    }
}
