import Dispatch
import Foundation
import LarderObjects
import OrderTracker

/// A command-line program for the order tracker, which prints its usage if it is called without arguments.
@main public struct OrderTrackerCommand {
    /// Runs the program with the arguments of this process.
    public static func main() async {
        do {
            let arguments = Array(CommandLine.arguments.dropFirst())
            if arguments.dropFirst() == ["list", "--live"] { return try await showLiveList(of: arguments[0]) }
            for line in try await run(arguments) { print(line) }
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    /// Runs the program with the given arguments and returns the lines to print.
    public static func run(_ arguments: [String]) async throws -> [String] {
        guard arguments.count >= 2 else { throw Usage() }
        let manager = try open(arguments[0])
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
                "\(result.inserted.count) new, \(result.updated.count) changed, \(result.deleted.count) deleted, "
                    + "\(result.unchanged) unchanged"
            ]
        case ("waiting", 0):
            return try tracker.waiting().map(line)
        case ("of", 1): return try tracker.orders(ofCustomer: rest[0]).map { "\($0)" }
        case ("send", 1...):
            try await tracker.send(try rest.map(number))
            return []
        case ("by", 1): return try tracker.orders(placedBy: rest[0]).map { "\($0)" }
        case ("by", 2):
            try await tracker.setPlacedBy(rest[0], of: try number(rest[1]))
            return []
        default: throw Usage()
        }
    }

    private static func open(_ path: String) throws -> SQLiteStorageManager {
        // A command-line program does not run the main queue, so the view needs another queue.
        let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "orders"))
        return try SQLiteStorageManager(
            model: Tracker.model,
            url: URL(fileURLWithPath: path),
            configuration: configuration
        )
    }

    /// Prints all orders by status, and again after each save of any process, until the program is interrupted.
    ///
    /// A terminal is cleared before each list. In other output, an empty line follows each list.
    private static func showLiveList(of path: String) async throws {
        let list = LiveList(try open(path))
        let output = FileHandle.standardOutput
        let isTerminal = isatty(output.fileDescriptor) == 1
        try await list.follow { sections in
            let lines = sections.flatMap { ["\($0.title): \($0.orders.count)"] + $0.orders.map { "  " + line($0) } }
            let text = lines.map { $0 + "\n" }.joined()
            try output.write(contentsOf: Data((isTerminal ? "\u{1B}[H\u{1B}[J" + text : text + "\n").utf8))
        }
    }

    private static func line(_ order: Order) -> String {
        let products = order.lines.count == 1 ? "1 product" : "\(order.lines.count) products"
        return "\(order.number)  \(order.customer)  \(products)  \(order.total)"
    }

    private static func number(_ text: String) throws -> Int64 {
        guard let number = Int64(text) else { throw Usage() }
        return number
    }

    /// An error which states that the arguments are invalid.
    public struct Usage: Error, CustomStringConvertible {
        /// The arguments that the program accepts.
        public let description =
            "Usage: OrderTrackerCommand FILE receive ORDERS.json | list --live | waiting | of CUSTOMER | send NUMBER... "
            + "| by NAME [NUMBER]"
    }
}
