#if Objects
import Dispatch
import Foundation
import GRDB
import LarderCore
import LarderFiles
import LarderObjects
import LarderTestSupport
import Testing

/// Tests of several managers of one process that write to the same file.
///
/// `SharedFileTests` has those of several processes.
@Suite struct SharedManagerTests {
    @Entity final class Entry {
        var number = 0
    }

    private static let model = ObjectModel([Entry.self])

    private static func open(
        _ url: URL,
        within timeout: Duration = .seconds(60),
        on files: any FileSystem = .local
    ) throws -> SQLiteStorageManager {
        var configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
        configuration.writingTimeout = timeout
        return try SQLiteStorageManager(model: model, url: url, configuration: configuration, files: files)
    }

    /// Runs `body` with two managers of a new file, then verifies and closes the file.
    private func withTwo(
        on files: any FileSystem = .local,
        _ body: (SQLiteStorageManager, SQLiteStorageManager, URL) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("entries.sqlite")
            let first = try Self.open(url, on: files)
            let second = try Self.open(url, within: .milliseconds(200), on: files)
            try await body(first, second, url)
            #expect(try first.verify().problems == [])
            try first.close()
            try second.close()
        }
    }

    /// Inserts objects, and returns their ids.
    @discardableResult
    private static func insert(_ count: Int, _ manager: SQLiteStorageManager) async throws -> [Int64] {
        try await manager.performAndSave { storage in
            try (0..<count).map { _ in try storage.insertNewObject(ofType: Entry.self).objectID.rowID }
        }
    }

    /// Runs `body` while `manager` is inside `performAndSave`.
    private static func during(_ manager: SQLiteStorageManager, _ body: () async throws -> Void) async throws {
        let (isInside, end) = (Box(false), DispatchSemaphore(value: 0))
        async let operation: Void = manager.performAndSave { storage in
            _ = try storage.insertNewObject(ofType: Entry.self)
            isInside.value = true
            end.wait()
        }
        try await waitUntil("the operation") { isInside.value }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        end.signal()
        try await operation
        try result.get()
    }

    @Test(arguments: [false, true]) func incrementsOfTwoManagersAreCounted(onNetwork isNetwork: Bool) async throws {
        try await withTwo(on: isNetwork ? PretendedNetwork() : .local) { first, _, url in
            // The waits of the second manager are not limited to 200 ms.
            let second = try Self.open(url, on: isNetwork ? PretendedNetwork() : .local)
            try await Self.insert(1, first)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for manager in [first, second, first, second] {
                    group.addTask {
                        for _ in 0..<50 {
                            try await manager.performAndSave { storage in
                                try #require(try storage.firstObject(ofType: Entry.self)).number += 1
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await first.fetchValues(ObjectRequest<Entry>()) { $0.number } == [200])
            try second.close()
        }
    }

    @Test func idsOfTwoManagersDiffer() async throws {
        try await withTwo { first, second, _ in
            var ids: [Int64] = []
            for count in [1, 3_000, 5_000, 1, 4_096] {
                ids += try await Self.insert(count, first)
                ids += try await Self.insert(count, second)
            }
            #expect(Set(ids).count == ids.count && ids.count == 2 * 12_098)
        }
    }

    @Test func idsOfRolledBackOperationAreNotAssignedAgain() async throws {
        try await withTwo { first, second, _ in
            try await Self.insert(1, first)
            let lost = Box<[Int64]>([])
            await #expect(throws: Refusal.self) {
                try await first.performAndSave { storage in
                    for _ in 0..<6_000 {
                        let id = try storage.insertNewObject(ofType: Entry.self).objectID.rowID
                        lost.update { $0.append(id) }
                    }
                    throw Refusal()
                }
            }
            var ids = lost.value
            for _ in 0..<3 {
                ids += try await Self.insert(3_000, second)
                ids += try await Self.insert(3_000, first)
            }
            #expect(Set(ids).count == ids.count && ids.count == 24_000)
        }
    }

    @Test func idChosenByRawSQLIsReservedForAllManagers() async throws {
        try await withTwo { first, second, _ in
            try await Self.insert(1, first)
            try await Self.insert(1, second)
            try await first.write { try $0.execute(sql: "INSERT INTO Entry (objectID, number) VALUES (20000, 1)") }
            let ids = try await Self.insert(15_000, second) + Self.insert(6_000, first)
            #expect(!ids.contains(20_000) && Set(ids).count == ids.count)
        }
    }

    /// Each manager has reserved ids which the other one's raw SQL can't know.
    @Test func idThatRawSQLChoosesFromBlockOfOtherManagerIsSkipped() async throws {
        try await withTwo { first, second, _ in
            let ids = try await Self.insert(1, first)
            try await second.write { [id = ids[0] + 1] database in
                try database.execute(sql: "INSERT INTO Entry (objectID, number) VALUES (?, 1)", arguments: [id])
            }
            #expect(try await Self.insert(1, first) == [ids[0] + 2])
        }
    }

    /// Closing waits for the operation, which must still be recognized as the writer.
    @Test func operationIsRecognizedWhileManagerIsClosed() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("entries.sqlite")
            let manager = try Self.open(url)
            let hasClosed = Box(false)
            let error = try await manager.performAndSave { [manager] _ in
                Thread.detachNewThread {
                    try? manager.close()
                    hasClosed.value = true
                }
                try blockUntil("the beginning of the closing") {
                    (try? manager.viewStorage.countObjects(ofType: Entry.self)) == nil
                }
                return #expect(throws: ObjectError.self) { try manager.reset() }
            }
            #expect(error?.code == .busy && error?.message.hasPrefix("reset can't be called inside") == true)
            try await waitUntil("the end of the closing") { hasClosed.value }
            let last = try Self.open(url)
            #expect(try last.verify().problems == [])
            try last.close()
        }
    }

    @Test func managersCloseWhileTheyFollow() async throws {
        try await withTwo { first, _, url in
            let issues = Box(0)
            for _ in 0..<20 {
                let second = try Self.open(url)
                let reporting = Task { for await _ in second.issues { issues.update { $0 += 1 } } }
                async let saving: [Int64] = Self.insert(1, first)
                try await onSmallThread { try second.close() }
                _ = try await saving
                reporting.cancel()
            }
            #expect(issues.value == 0)
        }
    }

    @Test func lateFailureOfOpeningHasCode() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("entries.sqlite")
            try Self.open(url).close()
            let queue = try DatabaseQueue(path: url.path)
            try await queue.write { try $0.execute(sql: "ALTER TABLE larder_save RENAME COLUMN token TO number") }
            let error = #expect(throws: ObjectError.self) { try Self.open(url) }
            #expect(error?.code == .database && error?.path == url.path)
            try await queue.write { try $0.execute(sql: "ALTER TABLE larder_save RENAME COLUMN number TO token") }
            try queue.close()
            let manager = try Self.open(url)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func writerIsBusyAfterTimeout() async throws {
        try await withTwo { first, second, url in
            try await Self.during(first) {
                let errors = [
                    await #expect(throws: ObjectError.self) { try await Self.insert(1, second) },
                    await #expect(throws: ObjectError.self) {
                        try await second.write { try $0.execute(sql: "DELETE FROM Entry") }
                    },
                    #expect(throws: ObjectError.self) { try second.reset() },
                ]
                for error in errors {
                    #expect(error?.code == .busy && error?.path == url.path)
                    #expect(error?.message.contains("another manager in this process is writing") == true)
                }
                // Neither reading nor opening nor closing waits for the writer.
                #expect(try await second.fetchValues(ObjectRequest<Entry>()) { $0.number } == [])
                let third = try Self.open(url, within: .zero)
                #expect(try third.viewStorage.countObjects(ofType: Entry.self) == 0)
                try third.close()
            }
            try await Self.insert(1, second)
            #expect(try await second.fetchValues(ObjectRequest<Entry>()) { $0.number }.count == 2)
        }
    }

    @Test func lastOfTwoManagersCompletesFile() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("entries.sqlite")
            let (first, second) = (try Self.open(url), try Self.open(url))
            try await Self.insert(10, first)
            try first.close()
            #expect(FileManager.default.fileExists(atPath: url.path + "-wal"))
            try await Self.insert(10, second)
            #expect(try second.verify().problems == [])
            try second.close()
            #expect(!FileManager.default.fileExists(atPath: url.path + "-wal"))
            let copy = folder.appendingPathComponent("copy.sqlite")
            try FileManager.default.copyItem(at: url, to: copy)
            let third = try Self.open(copy)
            #expect(try third.viewStorage.countObjects(ofType: Entry.self) == 20)
            #expect(try third.verify().problems == [])
            try third.close()
        }
    }

    @Test func managersThatCloseAtOnceLeaveCompleteFile() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("entries.sqlite")
            for _ in 0..<20 {
                let managers = try (0..<3).map { _ in try Self.open(url) }
                for manager in managers { try await Self.insert(1, manager) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for manager in managers { group.addTask { try await onSmallThread { try manager.close() } } }
                    try await group.waitForAll()
                }
            }
            let manager = try Self.open(url)
            #expect(try manager.viewStorage.countObjects(ofType: Entry.self) == 60)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    @Test func managerIsUsableOnSmallThread() async throws {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("entries.sqlite")
            try await onSmallThread {
                let manager = try Self.open(url)
                try manager.reset()
                #expect(try manager.verify().problems == [])
                try manager.close()
            }
        }
    }

    /// Raises the limit of open files step by step until the database can be opened, in a second process.
    @Test func openingWithTooFewFilesThrows() async {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-few-\(getpid())")
            defer { try? FileManager.default.removeItem(at: folder) }
            let url = folder.appendingPathComponent("entries.sqlite")
            // While work waits for one of its threads, `libdispatch` opens a file each second, and traps if it can't. No work waits for
            // this thread.
            let refusals = try await onSmallThread { try SharedManagerTests.refusals(url) }
            #expect(
                !refusals.isEmpty && refusals.allSatisfy { [.inaccessible, .database].contains($0) },
                "\(refusals)"
            )
            let manager = try SharedManagerTests.open(url)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    /// Opens the database with more and more files, until that has succeeded several times, and returns the codes of the errors.
    private static func refusals(_ url: URL) throws -> [ObjectError.Code] {
        try open(url).close()
        var limit = rlimit()
        getrlimit(openFiles, &limit)
        let before = limit.rlim_cur
        // Other threads may hold files with higher numbers, so it is not known with which limit the database can be opened.
        let next = dup(0)
        close(next)
        var refusals: [ObjectError.Code] = []
        var opened = 0
        for count in Int(max(next, 3))..<512 where opened < 8 {
            limit.rlim_cur = rlim_t(count)
            setrlimit(openFiles, &limit)
            defer {
                limit.rlim_cur = before
                setrlimit(openFiles, &limit)
            }
            do {
                try open(url).close()
                opened += 1
            } catch let error as ObjectError {
                refusals.append(error.code)
            }
        }
        try #require(opened == 8)
        return refusals
    }

    #if canImport(Glibc)
    private static let openFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    private static let openFiles = RLIMIT_NOFILE
    #endif
}
#endif
