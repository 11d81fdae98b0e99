import Dispatch
import Foundation
import LarderObjects
import OrderTracker

/// The tracker as a command; without arguments it says how it is used.
@main public struct OrderTrackerCommand {
    /// Carries out the command line of the process.
    public static func main() async {
        do {
            for line in try await run(Array(CommandLine.arguments.dropFirst())) { print(line) }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    /// Carries out one command line, and returns what to print.
    public static func run(_ arguments: [String]) async throws -> [String] {
        guard arguments.count >= 2 else { throw Usage() }
        // The main queue of a command does not run.
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "orders"))
        let url = URL(fileURLWithPath: arguments[0])
        let manager = try SQLiteStorageManager(model: Tracker.model, url: url, configuration: configuration)
        defer { try? manager.close() }
        let tracker = Tracker(manager)
        let rest = Array(arguments.dropFirst(2))
        switch (arguments[1], rest.count) {
        case ("receive", 1):
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let orders = try decoder.decode([Order].self, from: Data(contentsOf: URL(fileURLWithPath: rest[0])))
            let result = try await tracker.receive(orders)
            return [
                "\(result.inserted.count) new, \(result.updated.count) changed, \(result.deleted.count) gone, "
                    + "\(result.unchanged) the same"
            ]
        case ("waiting", 0):
            return try tracker.waiting().map { "\($0.number)  \($0.customer)  \($0.lines.count) products  \($0.total)" }
        case ("of", 1): return try tracker.orders(ofCustomer: rest[0]).map { "\($0)" }
        case ("send", 1...):
            try await tracker.send(try rest.map(number))
            return []
        case ("note", 2):
            try await tracker.annotate(try number(rest[0]), rest[1])
            return []
        case ("note", 1): return try tracker.note(of: try number(rest[0])).map { [$0] } ?? []
        default: throw Usage()
        }
    }

    private static func number(_ text: String) throws -> Int64 {
        guard let number = Int64(text) else { throw Usage() }
        return number
    }

    /// The command line made no sense.
    public struct Usage: Error, CustomStringConvertible {
        /// How it is used.
        public let description =
            "OrderTrackerCommand FILE receive ORDERS.json | waiting | of CUSTOMER | send NUMBER... | note NUMBER [TEXT]"
    }
}
