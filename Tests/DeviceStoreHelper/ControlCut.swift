import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport
import Synchronization

/// A store whose control file is truncated while the store is open.
///
/// Usage: `DeviceStoreHelper cutControl IO PATH HOW`.
enum ControlCut {
    /// Damages the control file, and checks that every thread then gets an error and that no committed value is lost.
    static func run(_ path: String, _ options: DeviceStoreOptions, _ how: String) throws {
        for _ in 0..<5 {
            let store = try DeviceStore(path: path, options: options)
            let work = Work()
            Canary.onThreads(5) { thread in
                switch thread {
                case 0: work.cut(path, how)
                case 1, 2: work.write(store, "writer\(thread)", isSynced: thread == 2)
                default: work.read(store, "key\(thread)")
                }
            }
            let complaints = work.complaints.withLock(\.self)
            guard complaints.isEmpty else { throw Wrong(complaints.joined(separator: "\n")) }
            guard isClosed({ _ = try store.get("x") }), isClosed({ try store.set(1, for: "x") }),
                isClosed({ _ = try store.keys() }), isClosed({ try store.flush() }),
                isClosed({ try store.compact() })
            else { throw Wrong("The store can still be used.") }
            try store.close()
            let again = try DeviceStore(path: path, options: options)
            for (key, number) in work.acknowledged.withLock(\.self) {
                let found = try again.get(StoreKey(key))
                guard case .int(let there)? = found, there == number || there == number + 1 else {
                    throw Wrong("\(key) is \(found as Any) instead of \(number)")
                }
            }
            guard try again.get("x") == nil, try again.verify().isIntact else {
                throw Wrong("The store is not intact.")
            }
            try again.remove("writer1")
            try again.remove("writer2")
            try again.close()
        }
    }

    /// Checks that a signal handler that was installed earlier receives the program's own faults, before and after a fault in Larder.
    static func leaveOtherSignals(_ path: String, _ options: DeviceStoreOptions) throws {
        signal(SIGBUS) { _ in _exit(7) }
        let store = try DeviceStore(path: path, options: options)
        guard truncate(path + ".ctl", 0) == 0, isClosed({ _ = try store.get("x") }) else {
            throw Wrong("The store was not closed.")
        }
        let other = open(path + ".other", O_RDWR | O_CREAT, 0o600)
        guard ftruncate(other, 4096) == 0, let page = mmap(nil, 4096, PROT_READ, MAP_SHARED, other, 0),
            page != MAP_FAILED, ftruncate(other, 0) == 0
        else { throw Wrong("No second page can be mapped, errno \(errno).") }
        throw Wrong("The lost page could be read: \(page.load(as: UInt8.self)).")
    }

    /// Increments a counter and truncates the control file, while other processes do the same.
    ///
    /// Usage: `DeviceStoreHelper countAndCut IO PATH TIMES HOW`.
    static func count(_ path: String, _ options: DeviceStoreOptions, times: Int, _ how: String) throws {
        var store: DeviceStore?
        for round in 0..<times {
            if round % 16 == 8, !cut(path, how) { throw Wrong("The control file can't be truncated, errno \(errno).") }
            while true {
                do {
                    let open = try store ?? DeviceStore(path: path, options: options)
                    store = open
                    let old = try open.get("counter")
                    guard case .int(let number) = old ?? .int(0) else { throw Wrong("The value is \(old as Any).") }
                    var batch = StoreBatch()
                    batch.expect(old, at: "counter")
                    batch.set(.int(number + 1), for: "counter")
                    if try open.commit(batch) { break }
                } catch let error as StoreError where error.code == .closed {
                    store = nil
                }
            }
        }
    }

    private static func cut(_ path: String, _ how: String) -> Bool {
        truncate(path + ".ctl", 0) == 0 && (how != "regrown" || truncate(path + ".ctl", 4096) == 0)
    }

    static func isClosed(_ call: () throws -> Void) -> Bool {
        do { try call() } catch { return (error as? StoreError)?.code == .closed }
        return false
    }

    private final class Work: Sendable {
        let acknowledged = Mutex<[String: Int64]>([:])
        let complaints = Mutex<[String]>([])

        func cut(_ path: String, _ how: String) {
            do {
                try blockUntil("both threads that write have written") {
                    acknowledged.withLock { min($0["writer1"] ?? 0, $0["writer2"] ?? 0) } >= 3
                }
            } catch {
                complaints.withLock { $0.append("\(error)") }
            }
            if !ControlCut.cut(path, how) {
                complaints.withLock { $0.append("The control file can't be truncated, errno \(errno).") }
            }
        }

        func write(_ store: DeviceStore, _ key: String, isSynced: Bool) {
            untilClosed {
                for number in Int64(1)... {
                    try store.set(.int(number), for: StoreKey(key), durability: isSynced ? .synced : .buffered)
                    acknowledged.withLock { $0[key] = number }
                }
            }
        }

        func read(_ store: DeviceStore, _ key: String) {
            untilClosed { while try store.get(StoreKey(key)) == nil {} }
        }

        private func untilClosed(_ body: () throws -> Void) {
            do {
                try body()
                complaints.withLock { $0.append("It was found.") }
            } catch let error as StoreError where error.code == .closed && "\(error)".contains("control file") {
            } catch {
                complaints.withLock { $0.append("\(error)") }
            }
        }
    }
}
