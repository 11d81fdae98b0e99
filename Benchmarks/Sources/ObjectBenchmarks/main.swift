import Foundation

#if Objects
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-bench-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

var report = Report(words: CommandLine.arguments.dropFirst().flatMap { $0.split(separator: " ").map(String.init) })
try report.add(.objects, in: folder)
print(report.text)
#else
FileHandle.standardError.write(
    Data("Object storage is measured with the trait Objects: Benchmarks/run.sh objects\n".utf8)
)
#endif
