import Foundation

#if Objects
// To measure the memory of one scenario, this program starts itself with these arguments.
if CommandLine.arguments.count == 4, CommandLine.arguments[1] == Area.scenarioWord {
    guard let scenario = MemoryScenario(rawValue: CommandLine.arguments[2]) else {
        throw ObjectBenchmarkError.wrongResult
    }
    print(try scenario.run(in: CommandLine.arguments[3]))
    exit(0)
}

// The other process of the rows that share a file.
if CommandLine.arguments.count == 3, CommandLine.arguments[1] == SharingProcess.word {
    try await SharingProcess.run(CommandLine.arguments[2])
    exit(0)
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-bench-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

var report = Report(words: CommandLine.arguments.dropFirst().flatMap { $0.split(separator: " ").map(String.init) })
try report.add(.objects, in: folder)
print(report.text)
#else
FileHandle.standardError.write(
    Data("Object storage was not measured because the trait Objects is disabled. Run Benchmarks/run.sh objects.\n".utf8)
)
#endif
