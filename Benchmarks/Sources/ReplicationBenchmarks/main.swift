import Foundation

#if Postgres
guard let address = ProcessInfo.processInfo.environment["LARDER_BENCH_POSTGRES"] else {
    FileHandle.standardError.write(Data("Run Benchmarks/run.sh replication, which starts a server.\n".utf8))
    exit(1)
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-bench-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

var report = Report(words: CommandLine.arguments.dropFirst().flatMap { $0.split(separator: " ").map(String.init) })
try report.add(.replication(address), in: folder)
print(report.text)
#else
let message = "The trait Postgres is disabled, so nothing was measured. Run Benchmarks/run.sh replication.\n"
FileHandle.standardError.write(Data(message.utf8))
#endif
