import Foundation
import LarderCore
import LarderDataSources
import LarderDeviceStore
import LarderTestSupport

/// The program `DataSourcesHelper STORE SERVER ACKNOWLEDGED`, which outbox tests start and kill.
///
/// The program writes 1, 2, 3 and so on through an outbox until it is killed. The main source is a file of numbers that is unreachable from
/// time to time. Each number whose write has returned is recorded in a third file.
@main struct DataSourcesHelper {
    static func main() async throws {
        HeldProcess.exitWhenInputCloses()
        let arguments = CommandLine.arguments
        let store = try openAfterKill { try DeviceStore(path: arguments[1]) }
        // The previous process may have been killed while it was sending.
        let outbox = OutboxDataSource<Int>(
            main: FileServer(path: arguments[2]),
            store: store,
            name: "numbers",
            lease: .milliseconds(200)
        )
        _ = FileManager.default.createFile(atPath: arguments[3], contents: nil)
        guard let acknowledged = FileHandle(forWritingAtPath: arguments[3]) else { exit(2) }
        var number = 0
        if case .int(let last)? = try store.get("last") { number = Int(last) }
        while true {
            number += 1
            // The number is stored before the put, so that no number is used twice after a kill.
            try store.set(.int(Int64(number)), for: "last")
            _ = try await outbox.put(number, in: KeyQuery("number")).value
            try acknowledged.seek(toOffset: 0)
            try withUnsafeBytes(of: Int64(number).littleEndian) { try acknowledged.write(contentsOf: Data($0)) }
        }
    }
}

/// A main source that appends a line to a file for each put, and fails two of every seven calls.
private struct FileServer: GetDataSource, PutDataSource, DeleteDataSource {
    let path: String

    func get(_ query: any KeyQuery) -> Future<Int> { Future(error: CoreError.NotFound(key: query.key)) }
    func getAll(_ query: any KeyQuery) -> Future<[Int]> { Future(error: CoreError.NotFound(key: query.key)) }
    func putAll(_ values: [Int], in query: any KeyQuery) -> Future<[Int]> { Future(values) }
    func delete(_ query: any KeyQuery) -> Future<Void> { Future(()) }

    func put(_ value: Int?, in query: any KeyQuery) -> Future<Int> {
        Future {
            guard let value, Int.random(in: 0..<7) > 1 else { throw CocoaError(.fileReadUnknown) }
            if !FileManager.default.fileExists(atPath: path) {
                _ = FileManager.default.createFile(atPath: path, contents: nil)
            }
            guard let file = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileNoSuchFile) }
            _ = try file.seekToEnd()
            try file.write(contentsOf: Data("\(value)\n".utf8))
            try file.close()
            return value
        }
    }
}
