import Foundation
import LarderCore
import LarderDeviceStorage
import LarderTestSupport
import Synchronization
import Testing

/// A `UserDefaults` object that calls other code during its methods, as Foundation calls observers of its notifications.
private final class NotifyingUserDefaults: UserDefaults {
    let observer = Mutex<(@Sendable () -> Void)?>(nil)

    override func set(_ value: Any?, forKey key: String) {
        super.set(value, forKey: key)
        let observer = observer.withLock { observer in
            defer { observer = nil }
            return observer
        }
        observer?()
    }
}

struct UserDefaultsLockTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    @Test func userDefaultsObserverCanReadButNotWrite() throws {
        let userDefaults = try #require(NotifyingUserDefaults(suiteName: folder.path("suite")))
        let store = UserDefaultsStore(userDefaults)
        let other = UserDefaultsStore(try #require(UserDefaults(suiteName: folder.path("other"))))
        try store.set(1, for: "kept")
        let seen = Mutex<[StoredValue?]>([])
        let codes = Mutex<[StoreError.Code?]>([])
        userDefaults.observer.withLock { observer in
            observer = {
                seen.withLock { $0.append(try? store.get("kept")) }
                for store in [store, other] {
                    do {
                        try store.set(2, for: "kept")
                        codes.withLock { $0.append(nil) }
                    } catch {
                        codes.withLock { $0.append((error as? StoreError)?.code) }
                    }
                }
            }
        }
        try store.set(1, for: "a")
        #expect(seen.withLock(\.self) == [1])
        #expect(codes.withLock(\.self) == [.busy, .busy])
        #expect(try store.entries() == [StoreEntry(key: "a", value: 1), StoreEntry(key: "kept", value: 1)])
        #expect(try other.count() == 0)
        try store.set(2, for: "kept")
        #expect(try store.get("kept") == 2)
        #expect(try store.verify().isIntact)
    }

    @Test func userDefaultsLockWaitTimesOut() throws {
        let lock = UserDefaultsLock(limit: .milliseconds(10))
        let code = Mutex<StoreError.Code?>(nil)
        // The thread that holds the lock waits for the thread that waits for the lock.
        let isOver = try lock.writing {
            anotherThreadCan {
                do { try lock.reading {} } catch { code.withLock { $0 = (error as? StoreError)?.code } }
            }
        }
        #expect(isOver)
        #expect(code.withLock(\.self) == .busy)
        #expect(try lock.writing { 7 } == 7)
    }
}
