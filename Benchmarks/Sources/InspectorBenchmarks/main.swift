import Foundation

#if Inspector
let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-bench-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

var report = Report(words: CommandLine.arguments.dropFirst().flatMap { $0.split(separator: " ").map(String.init) })
try report.add(.inspector, in: folder)
print(report.text)
#else
let message = "The trait Inspector is disabled, so nothing was measured. Run Benchmarks/run.sh inspector.\n"
FileHandle.standardError.write(Data(message.utf8))
#endif
