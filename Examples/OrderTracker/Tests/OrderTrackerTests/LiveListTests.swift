import Dispatch
import Foundation
import LarderObjects
import OrderTracker
import OrderTrackerCommand
import Testing

@Suite struct LiveListTests {
    @Test(.timeLimit(.minutes(1))) func listFollowsAnotherProcess() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "live-list-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, json) = (folder.appending(path: "orders.sqlite").path, folder.appending(path: "orders.json"))
        try write([(7, "Zoë"), (8, "Eve")], to: json)
        _ = try await OrderTrackerCommand.run([file, "receive", json.path])

        let list = try ListProcess(file)
        defer { list.process.terminate() }
        var screens = list.screens.makeAsyncIterator()
        #expect(await screens.next() == ["placed: 2", "  7  Zoë  1 product  9", "  8  Eve  1 product  9"])
        _ = try await OrderTrackerCommand.run([file, "send", "7"])
        #expect(
            await screens.next() == [
                "placed: 1", "  8  Eve  1 product  9", "sent: 1", "  7  Zoë  1 product  9",
            ]
        )
        try write([(6, "Ada"), (7, "Zoë")], to: json)
        _ = try await OrderTrackerCommand.run([file, "receive", json.path])
        #expect(await screens.next() == ["placed: 2", "  6  Ada  1 product  9", "  7  Zoë  1 product  9"])
        // Only the lines of the orders change.
        try write([(6, "Ada"), (7, "Zoë")], quantity: 3, to: json)
        _ = try await OrderTrackerCommand.run([file, "receive", json.path])
        #expect(await screens.next() == ["placed: 2", "  6  Ada  1 product  13.5", "  7  Zoë  1 product  13.5"])
    }

    @Test func listOfManyOrdersTakesFewQueries() async throws {
        let manager = try SQLiteStorageManager(
            inMemory: Tracker.model,
            configuration: .init(viewQueue: DispatchQueue(label: "orders"))
        )
        _ = try await Tracker(manager).receive(orders((1...200).map { ($0, "Customer \($0 % 10)") }, quantity: 1))
        let before = manager.queries.total
        struct Shown: Error {}
        await #expect(throws: Shown.self) {
            try await LiveList(manager).follow { sections in
                #expect(sections.map(\.orders.count) == [200])
                throw Shown()
            }
        }
        // The sorted ids, the orders, their lines and their customers.
        #expect(manager.queries.total - before == 4)
        try manager.close()
    }

    private func orders(_ orders: [(number: Int64, customer: String)], quantity: Int) -> [Order] {
        orders.map { number, customer in
            Order(
                number: number,
                customer: customer,
                placedAt: Date(timeIntervalSinceReferenceDate: Double(number)),
                lines: [OrderLine(product: "Tea", quantity: quantity, price: 4.5)]
            )
        }
    }

    private func write(_ orders: [(number: Int64, customer: String)], quantity: Int = 2, to url: URL) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        try encoder.encode(self.orders(orders, quantity: quantity)).write(to: url)
    }
}

/// A process that runs `list --live`.
private struct ListProcess {
    let process = Process()
    /// The lists that the process prints, until it ends.
    let screens: AsyncStream<[String]>

    init(_ file: String) throws {
        let folders = [Bundle.main.bundleURL, URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()]
        process.executableURL = folders.map { $0.appending(path: "OrderTrackerCommand") }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
        process.arguments = [file, "list", "--live"]
        let output = Pipe()
        process.standardOutput = output
        let (screens, continuation) = AsyncStream.makeStream(of: [String].self)
        self.screens = screens
        let reader = Thread {
            var text = Data()
            while case let part = output.fileHandleForReading.availableData, !part.isEmpty {
                text += part
                while let end = text.firstRange(of: Data("\n\n".utf8)) {
                    let lines = String(decoding: text[..<end.lowerBound], as: UTF8.self).split(separator: "\n")
                    continuation.yield(lines.map(String.init))
                    text = Data(text[end.upperBound...])
                }
            }
            continuation.finish()
        }
        try process.run()
        reader.start()
    }
}
