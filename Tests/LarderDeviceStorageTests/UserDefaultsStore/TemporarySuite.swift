import Foundation
import LarderTestSupport

/// A suite of `UserDefaults` whose file lies in a temporary folder: off Apple platforms a suite name may be a path.
struct TemporarySuite {
    let folder: TemporaryDirectory
    let userDefaults: UserDefaults

    var path: String { folder.path("suite.plist") }

    init() throws {
        folder = try TemporaryDirectory()
        userDefaults = try Self.open(folder.path("suite"))
    }

    /// What a program finds that is started now: the file as another suite, about which Foundation knows nothing yet.
    func relaunched(as name: String = "relaunched") throws -> UserDefaults {
        try FileManager.default.copyItem(atPath: path, toPath: folder.path(name + ".plist"))
        return try Self.open(folder.path(name))
    }

    private static func open(_ path: String) throws -> UserDefaults {
        guard let userDefaults = UserDefaults(suiteName: path) else { throw CocoaError(.featureUnsupported) }
        return userDefaults
    }
}
