import Foundation

if CommandLine.arguments.count == 3, CommandLine.arguments[1] == Companion.argument {
    try Companion.hold(CommandLine.arguments[2])
    exit(0)
}

// The areas of the table, each of which is defined in its own file.
let areas: [Area] = [
    .deviceStoreReading, .deviceStoreWriting, .deviceStoreLargeValues, .deviceStoreThreads, .deviceStoreSyncing,
    .deviceStoreFiles, .deviceStoreGrowth, .deviceStoreChurn, .stores, .features, .dataSources, .dataSourceLists,
    .typedDefaults,
]

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("larder-bench-\(UUID().uuidString)").path
try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(atPath: folder) }

var report = Report(words: CommandLine.arguments.dropFirst().flatMap { $0.split(separator: " ").map(String.init) })
for area in areas { try report.add(area, in: folder) }
print("The values are medians of one run. \"ratio\" is relative to the first contender in the row.")
print("Compare only ratios, because absolute values depend on the machine and its load.\n")
print(report.text)
