import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport

/// A store that was opened before a fork, and whose control file is cut after it: `DeviceStoreHelper forkCut IO PATH WHO`.
///
/// What a child may do after a fork is little: these ask and close, or open the store themselves, and end.
enum ForkedControlCut {
    static func run(_ path: String, _ options: DeviceStoreOptions, _ who: String) throws {
        var options = options
        // Neither threads nor engines that a child could meet half used.
        options.environment.isAutomatic = false
        options.environment.isShared = false
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        switch who {
        case "child": try cutByChild(store, path)
        case "parent": return try cutByParent(store, path, options)
        case "newStore": return try openByChild(store, path, options)
        default: throw Wrong("There is nobody called \(who).")
        }
        try store.close()
        try checkAndUse(path, options)
    }

    /// The child is the first to meet the page that is gone, and its parent hears of it by itself.
    private static func cutByChild(_ store: DeviceStore, _ path: String) throws {
        try ForkedChild { truncate(path + ".ctl", 0) == 0 && isForeign(to: store) }.finish()
        try isLost(to: store)
    }

    /// The child, which has the parent's files open, does not keep it from opening the store anew.
    private static func cutByParent(_ store: DeviceStore, _ path: String, _ options: DeviceStoreOptions) throws {
        let child = try ForkedChild { isForeign(to: store) }
        guard truncate(path + ".ctl", 0) == 0 else { throw Wrong("It can't be cut, errno \(errno).") }
        try isLost(to: store)
        try store.close()
        var options = options
        options.environment.lockLimit = .milliseconds(50)
        try checkAndUse(path, options)
        try child.finish()
        try checkAndUse(path, options)
    }

    /// The child opens the store itself.
    private static func openByChild(_ store: DeviceStore, _ path: String, _ options: DeviceStoreOptions) throws {
        let isWaitedFor = !options.allowsNetworkFileSystem
        let child = try ForkedChild {
            do {
                guard truncate(path + ".ctl", 0) == 0 else { return false }
                let own = try DeviceStore(path: path, options: options)
                guard try own.get("a") == 1 else { return false }
                try own.set(2, for: "b")
                try own.close()
                return true
            } catch {
                return false
            }
        }
        if isWaitedFor {
            child.start()
            try blockUntil("the parent hears of it") { ControlCut.isClosed { _ = try store.get("a") } }
        }
        try child.finish()
        if !isWaitedFor {
            // Its page was begun anew before it could see that it was gone, and nothing was missed.
            guard try store.get("b") == 2 else { throw Wrong("The parent does not see what the child wrote.") }
            try store.set(3, for: "c")
        }
        try store.close()
        let again = try DeviceStore(path: path, options: options)
        guard try again.get("b") == 2, try again.get("c") == (isWaitedFor ? nil : 3) else {
            throw Wrong("Something is missing: \(try again.entries(prefix: "")).")
        }
        try checkAndUse(again)
    }

    /// Whether the store says that it was opened before the fork.
    private static func isForeign(to store: DeviceStore) -> Bool {
        let calls: [() throws -> Void] = [
            { _ = try store.get("a") }, { try store.set(9, for: "a") }, { _ = try store.keys() },
            { try store.flush() }, { try store.compact() }, { _ = try store.verify() },
        ]
        let isForeign = calls.allSatisfy { call in
            do { try call() } catch { return "\(error)".contains("forked") }
            return false
        }
        do { try store.close() } catch { return false }
        return isForeign
    }

    private static func isLost(to store: DeviceStore) throws {
        for call in [{ _ = try store.get("a") }, { try store.set(9, for: "a") }] {
            do {
                try call()
                throw Wrong("It can still be used.")
            } catch let error as StoreError where error.code == .closed && "\(error)".contains("control file") {}
        }
    }

    private static func checkAndUse(_ path: String, _ options: DeviceStoreOptions) throws {
        try checkAndUse(DeviceStore(path: path, options: options))
    }

    private static func checkAndUse(_ store: DeviceStore) throws {
        guard try store.get("a") == 1 else { throw Wrong("Something is missing.") }
        try store.set(1, for: "again")
        guard try store.verify().isIntact else { throw Wrong("It is not intact.") }
        try store.close()
    }
}
