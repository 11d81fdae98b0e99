public import Foundation
public import LarderCore

extension StoreMigration {
    /// The migration of what a `UserDefaults` has stored: its own domain, without launch arguments.
    ///
    /// ```swift
    /// let report = try StoreMigration("from UserDefaults", from: UserDefaults.standard).run(into: store)
    /// ```
    ///
    /// - Parameters:
    ///   - name: What the destination remembers it by.
    ///   - userDefaults: Any. It is only read.
    public init(_ name: String, from userDefaults: UserDefaults) {
        self.init(name, from: UserDefaultsStore(userDefaults))
    }
}
