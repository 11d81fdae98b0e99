import Foundation
import LarderCore
import LarderDeviceStorage
import LarderDeviceStore
import LarderTestSupport

/// A program that the device store's tests run as a child process: `DeviceStoreHelper MODE [IO] [network] PATH ...`.
///
/// The program exits with 0, or prints a message and exits with 1 if a check failed. It also ends when its test ends. See ``HeldProcess``.
@main struct DeviceStoreHelper {
    static func main() {
        do {
            try run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        var rest = arguments
        guard rest.count >= 2 else { throw Wrong("DeviceStoreHelper MODE [IO] [network] PATH ...") }
        let mode = rest.removeFirst()
        if Canary.run(mode) { return }
        if mode == "descriptors" || mode == "suspendedWithDescriptors" {
            return try FewDescriptors.run(rest, suspending: mode != "descriptors")
        }
        HeldProcess.exitWhenInputCloses()
        #if os(Linux)
        if mode == "threadless" { return try NoThreads.run(in: rest.last ?? "") }
        if mode == "threadlessWatcher" { return try NoThreads.watch(in: rest.last ?? "") }
        #endif
        if mode == "standard" { return try StandardStore.shared.set(.string(rest[0]), for: "launches") }
        if mode == "defaults" { return try StandardDefaults.countLaunch(isDomainAskedFirst: rest[0] == "domain first") }
        var options = DeviceStoreOptions()
        // On a busy machine, other processes may hold the lock for a long time.
        options.environment.lockLimit = .seconds(120)
        if let io = DeviceStoreOptions.IO.allCases.first(where: { "\($0)" == rest[0] }) {
            options.io = io
            rest.removeFirst()
        }
        if rest[0] == "network" {
            options.environment.fileSystem = PretendedNetwork()
            options.allowsNetworkFileSystem = true
            rest.removeFirst()
        }
        guard !rest.isEmpty else { throw Wrong("DeviceStoreHelper MODE [IO] [network] PATH ...") }
        let path = rest.removeFirst()
        switch mode {
        case "write": try NumberedWrites(path, options, rest).write(acknowledging: rest[4])
        case "io": print(try DeviceStore(path: path, options: options).io)
        case "check": print(try NumberedWrites(path, options, rest).check().last)
        case "increment": try increment(path, options, times: rest.first.flatMap { Int($0) } ?? 0)
        case "repeat": try Repetition.run(path, options, times: rest.first.flatMap { Int($0) } ?? 0)
        case "read": try readPairs(path, options)
        case "big": try commitBigBatches(path, options, of: rest.first.flatMap { Int($0) } ?? 20_000)
        case "migrate" where rest.count == 2:
            try RepeatedMigration.run(path, options, into: rest[0], stating: rest[1])
        case "open" where rest.count == 1: try RepeatedOpening.run(in: path, options, stating: rest[0])
        case "fill": try FullDisk.fill(path, options, limit: rest.first.flatMap { UInt($0) })
        case "fullControl": try FullDisk.open(path, options)
        case "set" where rest.count == 2:
            let store = try DeviceStore(path: path, options: options)
            try store.set(.int(Int64(rest[1]) ?? 0), for: StoreKey(rest[0]))
            try store.close()
        case "complain": throw Wrong(String(repeating: "x", count: rest.first.flatMap { Int($0) } ?? 0))
        case "cut":
            guard truncate(path, 0) == 0 else { throw Wrong("\(path) can't be truncated, errno \(errno)") }
        case "cutControl" where rest.count == 1: try ControlCut.run(path, options, rest[0])
        case "countAndCut" where rest.count == 2:
            try ControlCut.count(path, options, times: Int(rest[0]) ?? 0, rest[1])
        case "otherSignals": try ControlCut.leaveOtherSignals(path, options)
        case "ownHandler" where rest.count == 1: try ForeignSignals.recover(path, options, rest[0])
        case "noHandler" where rest.count == 1: try ForeignSignals.die(path, options, rest[0])
        case "opening":
            options.environment.lockLimit = .milliseconds(200)
            do {
                try DeviceStore(path: path, options: options).close()
                print("opened")
            } catch let error as StoreError {
                print(error.code)
            }
        case "untilClosed" where rest.count == 2:
            try WritesUntilClosed.run(path, options, rest[0], stating: rest[1])
        case "forkCut" where rest.count == 1: try ForkedControlCut.run(path, options, rest[0])
        case "forkOwner" where rest.count == 1: try ForkedOwner.run(path, options, rest[0])
        case "fork": try useAfterFork(path, options)
        case "interrupted": try Interruption.write(path, options)
        case "unreserved": try Interruption.writeWithoutReservations(path, options)
        case "sweep": try InterruptionSweep(path, options, rest).run()
        default: throw Wrong("There is no mode \(mode).")
        }
    }

    /// Increments a counter, together with a second key that always has the same value.
    private static func increment(_ path: String, _ options: DeviceStoreOptions, times: Int) throws {
        let store = try DeviceStore(path: path, options: options)
        for _ in 0..<times {
            while true {
                let old = try store.get("counter")
                guard case .int(let number) = old ?? .int(0) else { throw Wrong("The counter is \(old as Any).") }
                var batch = StoreBatch()
                batch.expect(old, at: "counter")
                batch.set(.int(number + 1), for: "counter")
                batch.set(.int(number + 1), for: "counter.mirror")
                if try store.commit(batch) { break }
            }
        }
        try store.close()
    }

    /// Reads both keys until their value reaches the limit that is stored under a third key.
    private static func readPairs(_ path: String, _ options: DeviceStoreOptions) throws {
        let store = try DeviceStore(path: path, options: options)
        var last: Int64 = 0
        while try store.get("finished") == nil {
            let entries = try store.entries(prefix: "counter")
            guard entries.isEmpty || entries.count == 2, entries.first?.value == entries.last?.value else {
                throw Wrong("A torn transaction was read: \(entries)")
            }
            guard case .int(let number) = entries.first?.value ?? .int(0), number >= last else {
                throw Wrong("The counter went back from \(last): \(entries)")
            }
            last = number
        }
        try store.close()
    }

    /// Checks that a forked child can't use the store and that its parent can use the store afterwards.
    private static func useAfterFork(_ path: String, _ options: DeviceStoreOptions) throws {
        let store = try DeviceStore(path: path, options: options)
        try store.set(.int(1), for: "a")
        // Swift hides `fork`, because a child may do very little. This child only tries one call and ends.
        typealias Fork = @convention(c) () -> Int32
        guard let symbol = dlsym(dlopen(nil, RTLD_NOW), "fork") else { throw Wrong("There is no fork.") }
        let child = unsafeBitCast(symbol, to: Fork.self)()
        if child == 0 {
            _exit(isClosed { _ = try store.get("a") } && isClosed { try store.set(.int(2), for: "a") } ? 0 : 1)
        }
        var status: Int32 = -1
        guard waitpid(child, &status, 0) == child, status == 0 else { throw Wrong("The child could use the store.") }
        try store.set(.int(3), for: "a")
        guard try store.get("a") == .int(3), try store.verify().isIntact else {
            throw Wrong("The parent could not use the store.")
        }
        try store.close()
    }

    private static func isClosed(_ call: () throws -> Void) -> Bool {
        do { try call() } catch { return (error as? StoreError)?.code == .closed }
        return false
    }

    /// Commits large batches, so that the process holds the lock nearly all of the time.
    private static func commitBigBatches(_ path: String, _ options: DeviceStoreOptions, of count: Int) throws {
        let store = try DeviceStore(path: path, options: options)
        for round in 0... {
            var batch = StoreBatch()
            for number in 0..<count { batch.set(.int(Int64(round)), for: StoreKey("big.\(number)")) }
            _ = try store.commit(batch)
        }
    }
}

/// The error that is thrown if a check fails.
struct Wrong: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
