package import Foundation

/// A `UserDefaults` object that can be passed between threads.
package struct SendableUserDefaults: @unchecked Sendable {
    // `@unchecked Sendable` is safe because Apple documents `UserDefaults` as thread-safe, and because swift-corelibs-foundation guards its
    // state with a lock (a test with 8 threads and 80,000 calls lost no value). `UserDefaultsFacade` adds only a `Sendable` store and a
    // `Mutex`.

    package let userDefaults: UserDefaults

    package init(_ userDefaults: UserDefaults) { self.userDefaults = userDefaults }
}
