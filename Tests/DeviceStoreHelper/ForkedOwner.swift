import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport

/// The owner lock of a store whose process forks: `DeviceStoreHelper forkOwner IO PATH WHAT`.
///
/// Whether the lock is held is seen by what happens to an opener with another control file, as no other lock keeps that one out.
enum ForkedOwner {
    static func run(_ path: String, _ options: DeviceStoreOptions, _ what: String) throws {
        var options = options
        // Neither threads nor engines that a child could meet half used, and nothing that notices the missing control file.
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

    /// The child can't write to its parent's store, and neither its calls nor its end release the lock.
    private static func refuseChild(_ path: String, _ options: DeviceStoreOptions) throws {
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        try ForkedChild { isRefused(by: store) }.finish()
        try store.set(2, for: "b")
        try expectOwner(of: path, options)
        try store.close()
        try expectContents(["a": 1, "b": 2], path, options)
    }

    /// A store that the child opens has an owner lock of its own.
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

    /// A parent that closes the store releases the lock, though the child has a copy of its descriptor.
    private static func closeWhileChildLives(_ path: String, _ options: DeviceStoreOptions) throws {
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        let child = try ForkedChild { isRefused(by: store) }
        try store.close()
        try FileManager.default.removeItem(atPath: path + ".ctl")
        try expectContents(["a": 1], path, options)
        try child.finish()
    }

    /// A child that outlives its parent keeps the lock until it ends or calls exec.
    private static func dieWhileChildLives(_ path: String, _ options: DeviceStoreOptions) throws {
        let signal = Pipe()
        try ForkedChild {
            do {
                let store = try DeviceStore(path: path, options: options)
                try store.set(1, for: "a")
                // Ends when the process that holds the other end of the pipe says so, or has ended.
                _ = try ForkedChild(startedBy: signal) { true }
                // Without closing the store.
                withExtendedLifetime(store) { _exit(0) }
            } catch {
                return false
            }
        }.finish()
        try expectOwner(of: path, options)
        try signal.fileHandleForWriting.close()
        // Nobody can wait for the child of another process.
        try blockUntil("the end of the child") { try isOpened(path, options) }
        try expectContents(["a": 1], path, options)
    }

    // MARK: Looking

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

    /// Removes the control file, and has a newcomer look for owners.
    private static func expectOwner(of path: String, _ options: DeviceStoreOptions) throws {
        try FileManager.default.removeItem(atPath: path + ".ctl")
        guard try !isOpened(path, options) else { throw Wrong("Nobody has the owner lock.") }
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
