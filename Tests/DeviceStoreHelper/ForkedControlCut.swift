import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport

/// A store that was opened before a fork and whose control file is truncated after the fork: `DeviceStoreHelper forkCut IO PATH WHO`.
///
/// A forked child may do very little. These children use and close the inherited store or open the store themselves, and then exit.
enum ForkedControlCut {
    static func run(_ path: String, _ options: DeviceStoreOptions, _ who: String) throws {
        var options = options
        // A child must not inherit threads or engines in use.
        options.environment.isAutomatic = false
        options.environment.isShared = false
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        switch who {
        case "child": try cutByChild(store, path)
        case "parent": return try cutByParent(store, path, options)
        case "newStore": return try openByChild(store, path, options)
        default: throw Wrong("There is no case \(who).")
        }
        try store.close()
        try checkAndUse(path, options)
    }

    /// Checks that the parent detects the loss of the control page after the child was the first to access it.
    private static func cutByChild(_ store: DeviceStore, _ path: String) throws {
        try ForkedChild { truncate(path + ".ctl", 0) == 0 && isForeign(to: store) }.finish()
        try isLost(to: store)
    }

    /// Checks that the parent can open the store again while a child that inherited the open files is alive.
    private static func cutByParent(_ store: DeviceStore, _ path: String, _ options: DeviceStoreOptions) throws {
        let child = try ForkedChild { isForeign(to: store) }
        guard truncate(path + ".ctl", 0) == 0 else {
            throw Wrong("The control file can't be truncated, errno \(errno).")
        }
        try isLost(to: store)
        try store.close()
        var options = options
        options.environment.lockLimit = .milliseconds(50)
        try checkAndUse(path, options)
        try child.finish()
        try checkAndUse(path, options)
    }

    /// Checks that the child can open the store itself.
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
            // The control page was created again before the store detected the loss, so no commit was missed.
            guard try store.get("b") == 2 else { throw Wrong("The parent does not see what the child wrote.") }
            try store.set(3, for: "c")
        }
        try store.close()
        let again = try DeviceStore(path: path, options: options)
        guard try again.get("b") == 2, try again.get("c") == (isWaitedFor ? nil : 3) else {
            throw Wrong("Entries are missing: \(try again.entries(prefix: "")).")
        }
        try checkAndUse(again)
    }

    /// Returns whether the store throws the error for a store that was opened before a fork.
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
                throw Wrong("The store can still be used.")
            } catch let error as StoreError where error.code == .closed && "\(error)".contains("control file") {}
        }
    }

    private static func checkAndUse(_ path: String, _ options: DeviceStoreOptions) throws {
        try checkAndUse(DeviceStore(path: path, options: options))
    }

    private static func checkAndUse(_ store: DeviceStore) throws {
        guard try store.get("a") == 1 else { throw Wrong("A value is missing.") }
        try store.set(1, for: "again")
        guard try store.verify().isIntact else { throw Wrong("The store is not intact.") }
        try store.close()
    }
}
