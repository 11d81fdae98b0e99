#if os(Linux)
import Foundation
import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport
import Synchronization

/// What a store does in a process that can start no further thread: `DeviceStoreHelper threadless FOLDER`.
enum NoThreads {
    static func run(in folder: String) throws {
        let path = "\(folder)/s.larder"
        try expectRefusal { try DeviceStore(path: path) }
        try allowMemory(.max)
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
        // Far below what 20,000 commits take.
        guard try store.statistics().fileBytes < 2 << 20 else { throw Wrong("It was not compacted.") }
        observation.cancel()
        try store.flush()
        guard try store.verify().isIntact else { throw Wrong("The store is not intact.") }
        try store.close()
        print("used")
    }

    /// Opens a store while no thread can be started.
    ///
    /// Tried again where something else, such as a library that is loaded with the first use, took the memory that was left.
    private static func expectRefusal(_ open: () throws -> DeviceStore) throws {
        var errors: [StoreError] = []
        while errors.count < 20 {
            try refuseThreads()
            do {
                _ = try open()
                throw Wrong("It could be opened, though nothing would be synced in time.")
            } catch let error as StoreError where error.code == .tooManyThreads {
                return print("open: \(error)")
            } catch let error as StoreError {
                errors.append(error)
            }
            try allowMemory(.max)
        }
        throw Wrong("\(errors)")
    }

    /// Leaves too little memory for the stack of a thread.
    private static func refuseThreads() throws {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ").first
        guard let pages, let count = UInt(pages) else { throw Wrong("The size of the process is not known.") }
        try allowMemory(rlim_t(count * UInt(getpagesize()) + 6 << 20))
    }

    private static func allowMemory(_ bytes: rlim_t) throws {
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_AS.rawValue)
        #else
        let resource = RLIMIT_AS
        #endif
        getrlimit(resource, &limit)
        limit.rlim_cur = bytes
        guard setrlimit(resource, &limit) == 0 else { throw Wrong("The limit can't be set.") }
    }
}
#endif
