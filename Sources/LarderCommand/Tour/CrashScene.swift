import Foundation
import LarderCore
import LarderDeviceStore

/// The part of the tour that kills a second process while it writes, and checks that the store contains all acknowledged values.
enum CrashScene {
    private static let least = 1_000

    static func play(in folder: URL, _ tour: TourPrinter) throws {
        try tour.title("A process is killed while it writes")
        let path = folder.appending(path: "killed.larder").path
        let acknowledged = try runAndKill(path)
        try tour.remark("A second process acknowledged \(acknowledged) writes before it was killed with SIGKILL.")

        let store = try DeviceStore(path: path)
        let lost = try (1...acknowledged).filter { try store.get(key($0)) != .int(Int64($0)) }
        try tour.show("store.verify().isIntact") { try store.verify().isIntact }
        try tour.show("acknowledged values that are missing") { lost.count }
        try Tour.check(lost.isEmpty, "\(lost.count) of \(acknowledged) acknowledged values are missing")
        try Tour.check(try store.verify().isIntact, "the store of the killed process is corrupt")
    }

    /// Writes consecutive numbers to a store at `path`, and prints each number after it has been written.
    ///
    /// Runs in the second process until that process is killed or its standard output is closed.
    static func write(to path: String) throws {
        let store = try DeviceStore(path: path)
        var number = 0
        while true {
            number += 1
            try store.set(.int(Int64(number)), for: key(number))
            try FileHandle.standardOutput.write(contentsOf: Data("\(number)\n".utf8))
        }
    }

    private static func key(_ number: Int) -> StoreKey { StoreKey(String(number), prefix: "n.") }

    /// Starts the second process, and kills it after at least 1,000 acknowledged writes.
    ///
    /// - Returns: The number of writes that the process acknowledged.
    private static func runAndKill(_ path: String) throws -> Int {
        guard let program = Bundle.main.executableURL else {
            throw CommandFailure.storage("The tour can't find its own executable. Start larder with its full path.")
        }
        let process = Process()
        let pipe = Pipe()
        process.executableURL = program
        process.arguments = ["tour-writer", path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        try process.run()

        var output = Data()
        var isKilled = false
        // An empty read means that the process has ended, and with it the pipe's only writer.
        while case let more = pipe.fileHandleForReading.availableData, !more.isEmpty {
            output += more
            if !isKilled, lastNumber(output) ?? 0 >= least {
                kill(process.processIdentifier, SIGKILL)
                isKilled = true
            }
        }
        process.waitUntilExit()
        guard isKilled, let last = lastNumber(output) else {
            throw CommandFailure.storage("The tour's second process exited before it was killed. Run the tour again.")
        }
        return last
    }

    /// Returns the number on the last complete line of `output`.
    private static func lastNumber(_ output: Data) -> Int? {
        let lines = String(decoding: output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().last.flatMap { Int($0) }
    }
}
