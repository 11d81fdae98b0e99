import Foundation
import Larder
import LarderTesting
import OfflineReader
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite final class OfflineReaderTests {
    private let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "offline-reader-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder + "/server", withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private let tea = Article(id: "tea", title: "Tea", text: "Leaves in water.")

    @Test func articlesAreReadFromCacheUntilTheyExpire() async throws {
        let time = ManualTimeSource()
        let network = Network(folder: folder + "/server", delay: .zero, time: time)
        try network.putOnServer(tea)
        let reader = Reader(network: network, store: MemoryStore(), freshness: .seconds(100), time: time)
        #expect(try await reader.article("tea").origin == .main)
        #expect(try await reader.article("tea").origin == .memory)
        time.advance(by: .seconds(101))
        #expect(try await reader.article("tea").origin == .main)
        time.advance(by: .seconds(101))
        try network.setOnline(false)
        let stored = try await reader.article("tea")
        #expect(stored.value == tea && stored.isFallback && stored.isExpired)
        await #expect(throws: NetworkUnreachable.self) { try await reader.article("jam") }
    }

    @Test func notesWrittenOfflineAreSentLater() async throws {
        let network = Network(folder: folder + "/server", delay: .zero)
        try network.putOnServer(tea)
        let store = MemoryStore()
        let reader = Reader(network: network, store: store)
        _ = try await reader.article("tea")
        try network.setOnline(false)
        try await reader.annotate("tea", "first")
        try await reader.annotate("tea", "second")
        #expect(try await reader.article("tea").value.note == "second")
        #expect(try reader.waiting().count == 1)
        #expect(try network.onServer("tea").note.isEmpty)
        try network.setOnline(true)
        try await Reader(network: network, store: store).synchronize()
        #expect(try network.onServer("tea").note == "second")
    }

    /// Kills the program three times while it writes offline, and starts it again.
    @Test func notesSurviveWhenProcessIsKilled() async throws {
        try run("seed")
        try run("read", "tea")
        try run("offline")
        var last = 0
        for round in 1...3 {
            let (process, output) = try start("scribble", "tea")
            var lines: [Substring] = []
            var text = ""
            while lines.count < 10 * round {
                let data = output.fileHandleForReading.availableData
                guard !data.isEmpty else { break }
                text += String(decoding: data, as: UTF8.self)
                lines = text.split(separator: "\n")
            }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            text += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            // The last line is ignored because it may be truncated.
            let whole = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            last = whole.compactMap { Int($0) }.last ?? 0
            #expect(last >= 10)
            let shown = try run("read", "tea")
            #expect(shown.contains("[\(last)]") || shown.contains("[\(last + 1)]"), "\(shown) after \(last)")
        }
        try run("online")
        try run("sync")
        let note = try Network(folder: folder + "/server", delay: .zero).onServer("tea").note
        #expect(note == "\(last)" || note == "\(last + 1)")
        #expect(try run("waiting").isEmpty)
    }

    @discardableResult
    private func run(_ arguments: String...) throws -> String {
        let (process, output) = try start(arguments)
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(arguments)")
        return text
    }

    private func start(_ arguments: String...) throws -> (Process, Pipe) { try start(arguments) }

    private func start(_ arguments: [String]) throws -> (Process, Pipe) {
        let process = Process()
        let output = Pipe()
        let folders = [Bundle.main.bundleURL, URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()]
        process.executableURL = folders.map { $0.appending(path: "OfflineReaderCommand") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        process.arguments = [folder] + arguments
        process.standardOutput = output
        try process.run()
        return (process, output)
    }
}
