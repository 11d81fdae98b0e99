import Foundation

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-bench-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

let rounds = 7
var report = Report()
for comparison in try KeyValueWorkload(keys: Keys(count: 10_000), folder: folder).comparisons() {
    try report.add(comparison, rounds: rounds)
}
for comparison in try FeatureWorkload(folder: folder).comparisons() { try report.add(comparison, rounds: rounds) }
print("One run, median of \(rounds) rounds. Compare ratios; the nanoseconds are this machine's today.\n")
print(report.text)
