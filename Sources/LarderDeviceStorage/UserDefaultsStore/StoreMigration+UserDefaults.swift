public import Foundation
public import LarderCore

extension StoreMigration {
    /// Creates a migration of the values in a `UserDefaults` object's own domain, without launch arguments.
    ///
    /// ```swift
    /// let report = try StoreMigration("from UserDefaults", from: UserDefaults.standard).run(into: store)
    /// ```
    ///
    /// - Parameters:
    ///   - name: The name under which the destination records the migration.
    ///   - userDefaults: The object to read from, which is not changed.
    public init(_ name: String, from userDefaults: UserDefaults) {
        self.init(name, from: UserDefaultsStore(userDefaults))
    }
}
