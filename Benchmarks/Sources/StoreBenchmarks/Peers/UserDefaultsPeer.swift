import Foundation

/// Foundation's `UserDefaults`, with its file at a given path.
final class UserDefaultsPeer {
    private let suite: UserDefaults

    init(_ path: String, _ keys: [String] = []) throws {
        // If the suite's name is a path, the file is stored there.
        guard let suite = UserDefaults(suiteName: path) else { throw CocoaError(.fileNoSuchFile) }
        self.suite = suite
        for (index, key) in keys.enumerated() { suite.set(index, forKey: key) }
        suite.synchronize()
    }

    func get(_ key: String) -> Int { suite.integer(forKey: key) }
    func put(_ value: Int, _ key: String) { suite.set(value, forKey: key) }
    func synchronize() { suite.synchronize() }
}
