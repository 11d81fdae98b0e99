import Foundation
import Synchronization

/// The processes that the demo has started, and nothing else.
final class ProcessList: Sendable {
    private let started = Mutex<[pid_t: Process]>([:])

    /// Starts a program whose output goes to a file.
    func start(_ program: String, _ arguments: [String], log: URL, in folder: URL) throws -> Child {
        if !FileManager.default.fileExists(atPath: log.path) { try Data().write(to: log) }
        let output = try FileHandle(forWritingTo: log)
        try output.seekToEnd()
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
        try output.close()
        let id = process.processIdentifier
        started.withLock { $0[id] = process }
        return Child(process: process, list: self)
    }

    fileprivate func forget(_ id: pid_t) { started.withLock { $0[id] = nil } }

    /// Kills every process that still runs, and the processes that it has started.
    func killAll() {
        let running = started.withLock { started in
            defer { started = [:] }
            return started.values.filter(\.isRunning).map(\.processIdentifier)
        }
        for id in running {
            for child in [id] + Child.children(of: id) {
                kill(child, SIGCONT)
                kill(child, SIGKILL)
            }
        }
    }
}

/// A process that the demo has started.
final class Child {
    private let process: Process
    private let list: ProcessList

    fileprivate init(process: Process, list: ProcessList) {
        self.process = process
        self.list = list
    }

    var id: pid_t { process.processIdentifier }
    var isRunning: Bool { process.isRunning }

    /// Sends a signal to the process and to those that it has started.
    func signalAll(_ number: Int32) { for id in [id] + Self.children(of: id) { kill(id, number) } }

    /// Sends a signal to the process, and waits until it has ended.
    func end(_ number: Int32, within seconds: Double = 10) {
        guard process.isRunning else { return list.forget(id) }
        let children = Self.children(of: id)
        kill(id, number)
        let deadline = ContinuousClock.now + .seconds(seconds)
        while process.isRunning, ContinuousClock.now < deadline { usleep(5_000) }
        if process.isRunning { kill(id, SIGKILL) }
        process.waitUntilExit()
        if number == SIGKILL { for child in children { kill(child, SIGKILL) } }
        list.forget(id)
    }

    /// The processes whose parent is a process, as Linux lists them.
    fileprivate static func children(of parent: pid_t) -> [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { id in
            guard let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
                let name = stat.lastIndex(of: ")")
            else { return false }
            // After the name: the state and the parent.
            let fields = stat[name...].split(separator: " ")
            return fields.count > 2 && pid_t(fields[2]) == parent
        }
    }
}

extension Child {
    /// Waits until the process has ended by itself.
    ///
    /// - Returns: Its exit status.
    func wait() -> Int32 {
        process.waitUntilExit()
        list.forget(id)
        return process.terminationStatus
    }
}
