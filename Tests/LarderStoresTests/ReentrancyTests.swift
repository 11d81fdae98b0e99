import Foundation
import LarderCore
import LarderDeviceStore
import LarderStores
import LarderTestSupport
import Synchronization
import Testing

/// Tests that user code that a store calls can use that store, because the store holds no lock during the call.
@Suite struct ReentrancyTests {
    enum Kind: CaseIterable {
        case memory, propertyList, device
    }

    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func open(_ kind: Kind) throws -> any KeyValueStore {
        switch kind {
        case .memory: MemoryStore()
        case .propertyList: try PropertyListStore(path: folder.path("s.plist"))
        case .device: try DeviceStore(path: folder.path("s.larder"))
        }
    }

    /// An executor that checks whether another thread can use a store when a task is about to be resumed.
    private final class AskingExecutor: TaskExecutor {
        private let isFree: @Sendable () -> Bool
        private let queue = DispatchQueue(label: "AskingExecutor")
        private let answers = Mutex<[Bool]>([])
        private let ended = Atomic(0)

        init(_ isFree: @escaping @Sendable () -> Bool) { self.isFree = isFree }

        /// The number of jobs that had run when the task suspended.
        var endedCount: Int { ended.load(ordering: .acquiring) }
        var all: [Bool] { answers.withLock(\.self) }

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            let answer = isFree()
            answers.withLock { $0.append(answer) }
            queue.async { [self] in
                job.runSynchronously(on: asUnownedTaskExecutor())
                ended.add(1, ordering: .releasing)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func changeReaderExecutorCanUseStore(kind: Kind) async throws {
        let store = try open(kind)
        let executor = AskingExecutor {
            anotherThreadCan {
                _ = try? store.get("a")
                _ = try? store.set(1, for: "b")
                _ = store.changes(prefix: "c")
            }
        }
        let changes = store.changes(prefix: "a")
        let task = Task(executorPreference: executor) {
            var reader = changes.makeAsyncIterator()
            return await reader.next()
        }
        try await waitUntil("the reader to wait") { executor.endedCount > 0 }
        try store.set(1, for: "a")
        #expect(
            await task.value
                == .change(StoreChange(entries: [.init(key: "a", old: nil, new: 1)], origin: .thisProcess))
        )
        #expect(executor.all.count >= 2 && executor.all.allSatisfy(\.self))
        #expect(try store.verify().isIntact)
    }

    /// Bytes whose deallocator checks whether another thread can use a store.
    private final class AskingBytes: Sendable {
        private let answers = Mutex<[Bool]>([])
        var all: [Bool] { answers.withLock(\.self) }

        func data(using store: any KeyValueStore) -> Data {
            // More bytes than a value stores inline.
            let count = 100
            let bytes = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 1)
            bytes.initializeMemory(as: UInt8.self, repeating: 7, count: count)
            return Data(
                bytesNoCopy: bytes,
                count: count,
                deallocator: .custom { [self] bytes, _ in
                    bytes.deallocate()
                    let answer = anotherThreadCan { _ = try? store.get("a") }
                    answers.withLock { $0.append(answer) }
                }
            )
        }
    }

    @Test(arguments: Kind.allCases, [false, true])
    func replacedDataDeallocatorCanUseStore(kind: Kind, inBatch: Bool) throws {
        let store = try open(kind)
        let bytes = AskingBytes()
        try store.set(.data(bytes.data(using: store)), for: "a")
        var batch = StoreBatch()
        batch.set(2, for: "a")
        if inBatch { batch.set(2, for: "b") }
        #expect(try store.commit(batch))
        #expect(bytes.all == [true])
        #expect(try store.get("a") == 2)
        #expect(try store.verify().isIntact)
    }
}
