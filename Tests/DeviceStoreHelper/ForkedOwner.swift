import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport

/// The owner lock on a store whose process forks: `DeviceStoreHelper forkOwner IO PATH WHAT`.
///
/// The tests detect the owner lock by opening the store with another control file, which no other lock prevents.
enum ForkedOwner {
    static func run(_ path: String, _ options: DeviceStoreOptions, _ what: String) throws {
        var options = options
        // A child must not inherit threads or engines in use, and nothing may detect that the control file is missing.
        options.environment.isAutomatic = false
        options.environment.isShared = false
        options.environment.lockLimit = .milliseconds(100)
        switch what {
        case "childUses": try refuseChild(path, options)
        case "childOpens": try letChildOpen(path, options)
        case "parentCloses": try closeWhileChildLives(path, options)
        case "parentDies": try dieWhileChildLives(path, options)
        default: throw Wrong("There is nothing called \(what).")
        }
    }

    /// Checks that the child can't write to its parent's store and that the parent keeps the owner lock when the child calls the store and
    /// exits.
    private static func refuseChild(_ path: String, _ options: DeviceStoreOptions) throws {
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        try ForkedChild { isRefused(by: store) }.finish()
        try store.set(2, for: "b")
        try expectOwner(of: path, options)
        try store.close()
        try expectContents(["a": 1, "b": 2], path, options)
    }

    /// Checks that a store that the child opens has its own owner lock.
    private static func letChildOpen(_ path: String, _ options: DeviceStoreOptions) throws {
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        let child = try ForkedChild {
            do {
                let own = try DeviceStore(path: path, options: options)
                try own.set(2, for: "b")
                try own.close()
                return true
            } catch {
                return false
            }
        }
        try child.finish()
        guard try store.get("b") == 2 else { throw Wrong("The parent does not see what the child wrote.") }
        try store.set(3, for: "c")
        try expectOwner(of: path, options)
        try store.close()
        try expectContents(["a": 1, "b": 2, "c": 3], path, options)
    }

    /// Checks that closing the store in the parent releases the lock, although the child has a copy of the file descriptor.
    private static func closeWhileChildLives(_ path: String, _ options: DeviceStoreOptions) throws {
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        let child = try ForkedChild { isRefused(by: store) }
        try store.close()
        try FileManager.default.removeItem(atPath: path + ".ctl")
        try expectContents(["a": 1], path, options)
        try child.finish()
    }

    /// Checks that a child that outlives its parent keeps the lock until it exits or calls `exec`.
    private static func dieWhileChildLives(_ path: String, _ options: DeviceStoreOptions) throws {
        let signal = Pipe()
        try ForkedChild {
            do {
                let store = try DeviceStore(path: path, options: options)
                try store.set(1, for: "a")
                // Exits when the process at the other end of the pipe closes it or exits.
                _ = try ForkedChild(startedBy: signal) { true }
                // Without closing the store.
                withExtendedLifetime(store) { _exit(0) }
            } catch {
                return false
            }
        }.finish()
        try expectOwner(of: path, options)
        try signal.fileHandleForWriting.close()
        // A process can't wait for the child of another process.
        try blockUntil("the end of the child") { try isOpened(path, options) }
        try expectContents(["a": 1], path, options)
    }

    // MARK: Checks

    private static func isRefused(by store: DeviceStore) -> Bool {
        let calls: [() throws -> Void] = [
            { try store.set(9, for: "a") }, { try store.set(9, for: "a", durability: .synced) },
            { try store.compact() }, { try store.flush() }, { _ = try store.get("a") },
        ]
        let isRefused = calls.allSatisfy { call in
            do { try call() } catch { return (error as? StoreError)?.code == .closed }
            return false
        }
        do { try store.close() } catch { return false }
        return isRefused
    }

    /// Removes the control file, and checks that another opener finds that the store has an owner.
    private static func expectOwner(of path: String, _ options: DeviceStoreOptions) throws {
        try FileManager.default.removeItem(atPath: path + ".ctl")
        guard try !isOpened(path, options) else { throw Wrong("The owner lock is not held.") }
    }

    private static func isOpened(_ path: String, _ options: DeviceStoreOptions) throws -> Bool {
        do {
            try DeviceStore(path: path, options: options).close()
            return true
        } catch let error as StoreError where error.code == .busy {
            return false
        }
    }

    private static func expectContents(
        _ contents: [String: StoredValue],
        _ path: String,
        _ options: DeviceStoreOptions
    ) throws {
        let store = try DeviceStore(path: path, options: options)
        let found = try store.entries(prefix: "")
        guard found.count == contents.count, found.allSatisfy({ contents[$0.key] == $0.value }) else {
            throw Wrong("The store holds \(found).")
        }
        guard try store.verify().isIntact else { throw Wrong("The store is not intact.") }
        try store.close()
    }
}
