import Foundation

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == Companion.argument {
    try Companion.hold(CommandLine.arguments[2])
    exit(0)
}

// One line for each area: what its file measures.
let areas: [Area] = [
    .deviceStoreReading, .deviceStoreWriting, .deviceStoreThreads, .deviceStoreSyncing, .deviceStoreFiles,
    .deviceStoreGrowth, .deviceStoreChurn, .stores, .features, .dataSources, .dataSourceLists, .typedDefaults,
]

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-bench-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

var report = Report(words: CommandLine.arguments.dropFirst().flatMap { $0.split(separator: " ").map(String.init) })
for area in areas { try report.add(area, in: folder) }
print("Measured in one run, medians. \"ratio\" is how many times the row's first contender it takes;")
print("compare ratios: the absolute figures are this machine's today.\n")
print(report.text)
