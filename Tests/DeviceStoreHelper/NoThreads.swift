#if os(Linux)
import Foundation
import LarderCore
import LarderFiles
import LarderDeviceStore
import LarderTestSupport
import Synchronization

/// Checks of stores in a process that can't start more threads: `DeviceStoreHelper threadless FOLDER`.
enum NoThreads {
    static func run(in folder: String) throws {
        let path = "\(folder)/s.larder"
        try refuseThreads()
        try expectRefusal { try DeviceStore(path: path) }
        try allowThreads()
        let store = try DeviceStore(path: path)
        try refuseThreads()
        let issues = Mutex<[LarderIssue]>([])
        let seen = Atomic(0)
        let observation = withIssueHandler({ issue in issues.withLock { $0.append(issue) } }) {
            store.observe(prefix: "") { _ in seen.add(1, ordering: .relaxed) }
        }
        guard issues.withLock({ $0.map(\.code) }) == [.degraded] else { throw Wrong("\(issues.withLock(\.self))") }
        for number in 0..<20_000 {
            try store.set(.data(Data(repeating: UInt8(truncatingIfNeeded: number), count: 300)), for: "large")
        }
        guard seen.load(ordering: .relaxed) == 20_000 else {
            throw Wrong("Only \(seen.load(ordering: .relaxed)) seen.")
        }
        // Far below the size that 20,000 commits have without compaction.
        guard try store.statistics().fileBytes < 2 << 20 else { throw Wrong("It was not compacted.") }
        observation.cancel()
        try store.flush()
        guard try store.verify().isIntact else { throw Wrong("The store is not intact.") }
        try store.close()
        print("used")
    }

    /// Checks that an observer for which no watching thread could be started is notified of other processes' commits once a thread can be
    /// started.
    static func watch(in folder: String) throws {
        var options = DeviceStoreOptions()
        // Only `maintain()`, called below, retries, and only a watching thread detects a commit in time.
        options.environment.tick = .seconds(3_600)
        let path = "\(folder)/s.larder"
        let store = try DeviceStore(path: path, options: options)
        // Behaves as if it were in another process.
        options.environment.isShared = false
        let other = try DeviceStore(path: path, options: options)
        try refuseThreads()
        let issues = Mutex<[LarderIssue]>([])
        let seen = Atomic(0)
        let observation = withIssueHandler({ issue in issues.withLock { $0.append(issue) } }) {
            store.observe(prefix: "") { _ in seen.add(1, ordering: .relaxed) }
        }
        for _ in 0..<3 { store.maintain() }
        // Reported once, and not for each attempt.
        guard issues.withLock({ $0.map(\.code) }) == [.degraded] else { throw Wrong("\(issues.withLock(\.self))") }
        try allowThreads()
        store.maintain()
        for number in 1...3 {
            try other.set(.int(Int64(number)), for: "a")
            try blockUntil("a notified observer") { seen.load(ordering: .relaxed) == number }
        }
        observation.cancel()
        guard try store.verify().isIntact else { throw Wrong("The store is not intact.") }
        print("watched")
    }

    /// Checks that opening a store throws an error while no thread can be started.
    private static func expectRefusal(_ open: () throws -> DeviceStore) throws {
        do {
            _ = try open()
        } catch let error as StoreError where error.code == .tooManyThreads {
            return print("open: \(error)")
        }
        throw Wrong("The store could be opened, although no thread could sync it.")
    }

    /// Makes each new thread request a stack that is larger than the address space, so that no thread can be started.
    private static func refuseThreads() throws { try setStack(1 << 47) }

    private static func allowThreads() throws { try setStack(8 << 20) }

    private static func setStack(_ bytes: Int) throws {
        typealias SetDefault = @convention(c) (UnsafePointer<pthread_attr_t>) -> Int32
        // A function in glibc that Swift does not import.
        guard let function = dlsym(nil, "pthread_setattr_default_np") else {
            throw Wrong("The size of stacks can't be set.")
        }
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { attributes.deallocate() }
        pthread_attr_init(attributes)
        pthread_attr_setstacksize(attributes, bytes)
        guard unsafeBitCast(function, to: SetDefault.self)(attributes) == 0 else {
            throw Wrong("The size of stacks can't be set to \(bytes).")
        }
    }
}
#endif
