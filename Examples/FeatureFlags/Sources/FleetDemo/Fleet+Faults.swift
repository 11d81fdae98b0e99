import Foundation
import LarderCore
import LarderDeviceStore
import Synchronization

extension Fleet {
    func killWhileWriting() throws {
        terminal.scene("Instance c is killed with -9 while it counts")
        let counting = try Counting(c)
        try wait(within: 20, "the count of instance c") { counting.last >= 100 }
        c.end(SIGKILL)
        counting.finish()
        let acknowledged = counting.last
        terminal.say("c was killed after it had answered \(acknowledged)")
        let stored = try number("count.c", in: c)
        guard stored >= acknowledged else {
            throw DemoFailure("c had answered \(acknowledged), but its file has \(stored).")
        }
        terminal.say("Its file has \(stored): nothing that it had answered is missing")
        let start = ContinuousClock.now
        try c.start()
        try wait(within: 30, "the count on all instances") {
            try instances.allSatisfy { try number("count.c", in: $0) == stored }
        }
        terminal.say(
            "c was started again, and a and b have \(stored) too, \((ContinuousClock.now - start).inMilliseconds) later"
        )
    }

    func cutOneInstance() throws {
        terminal.scene("Instance b loses its connection")
        // Known on every page, so that all start from the same value.
        var start = ContinuousClock.now
        try a.change("banner", ["value": "summer"], isConfirmed: true)
        _ = try pagesShow("summer", in: "banner", after: start)
        try current.sql(
            "alter role b nologin; select pg_terminate_backend(pid) from pg_stat_activity where usename = 'b'"
        )
        try wait(within: 20, "the interruption of instance b") { try b.status().failure != nil }
        terminal.say("The role of b may not log in any more, and its connections were terminated")

        start = .now
        try a.change("banner", ["value": "autumn"], isConfirmed: true)
        _ = try pagesShow("autumn", in: "banner", on: [a, c], after: start)
        let reading = ContinuousClock.now
        let seen = try b.flag("banner") ?? ""
        terminal.say(
            "a sets banner = autumn; b still reads \(seen), in \((ContinuousClock.now - reading).inMilliseconds) with the request"
        )
        guard seen == "summer" else { throw DemoFailure("b should read summer, but reads \(seen).") }

        try b.change("resultsPerPage", ["value": "77"])
        try b.change("banner", ["value": "winter", "expected": "summer"])
        let waiting = try b.status()
        terminal.say(
            "b sets resultsPerPage = 77, and replaces banner = summer by winter: both are visible on b, and \(waiting.pending) commits wait"
        )
        let asking = ContinuousClock.now
        try b.change("newCheckout", ["value": "true"], isConfirmed: true, status: 503)
        terminal.say("A write on b that needs the cluster fails after \((ContinuousClock.now - asking).inMilliseconds)")

        start = .now
        try current.sql("alter role b login")
        let arrivals = try pagesShow("77", in: "resultsPerPage", on: [a, c], after: start)
        terminal.say("b may connect again. Its resultsPerPage = 77 arrives: \(arrivals)")
        let rollback = try pagesShow("autumn", in: "banner", on: [b], after: start)
        let rejected = try b.status().rejected
        guard rejected.contains(where: { $0.contains("winter") }) else {
            throw DemoFailure("b does not list the rejected commit.")
        }
        terminal.say(
            "Its banner = winter was refused, because the banner was not summer any more; rolled back: \(rollback)"
        )
        terminal.say("b lists as rejected: \(rejected.joined(separator: "; "))")
    }

    func stopPrimary() throws {
        terminal.scene("The primary hangs for 3 seconds (SIGSTOP)")
        primary.process?.signalAll(SIGSTOP)
        let start = ContinuousClock.now
        try a.change("newCheckout", ["value": "true"])
        try c.change("banner", ["value": "while it hangs"])
        let reading = ContinuousClock.now
        let seen = try b.flag("banner") ?? ""
        terminal.say(
            "a and c write, and b reads banner = \(seen), in \((ContinuousClock.now - reading).inMilliseconds) with the request"
        )
        while ContinuousClock.now - start < .seconds(3) { usleep(10_000) }
        let waiting = try instances.map { try "\($0.name) \($0.status().pending)" }.joined(separator: ", ")
        terminal.say("After 3 s these commits wait: \(waiting)")
        primary.process?.signalAll(SIGCONT)
        let goesOn = ContinuousClock.now
        _ = try pagesShow("true", in: "newCheckout", after: start)
        _ = try pagesShow("while it hangs", in: "banner", after: start)
        terminal.say("The primary goes on; all pages show both, \((ContinuousClock.now - goesOn).inMilliseconds) later")
    }

    func failOver() throws {
        terminal.scene("The primary is killed with -9, and the standby promoted")
        let counters = try instances.map { try Counting($0) }
        usleep(500_000)
        try a.change("banner", ["value": "just before"], isConfirmed: true)
        primary.process?.signalAll(SIGKILL)
        primary.process?.end(SIGKILL)
        let killed = ContinuousClock.now
        terminal.say("The primary is dead. All instances go on counting")
        usleep(1_000_000)
        let waiting = try instances.map { try "\($0.name) \($0.status().pending)" }.joined(separator: ", ")
        terminal.say("One second later these commits wait: \(waiting)")
        try standby.promote()
        terminal.say("The standby was promoted, \((ContinuousClock.now - killed).inMilliseconds) after the kill")
        try a.change("banner", ["value": "after the failover"])
        let arrivals = try pagesShow("after the failover", in: "banner", after: killed, within: 60)
        terminal.say("A flag that a sets now is on the pages, after the kill: \(arrivals)")
        for counter in counters { counter.finish() }
        try wait(within: 60, "the queues of all instances") {
            try instances.allSatisfy { try $0.status().pending == 0 }
        }
        terminal.say("No commit waits any more, \((ContinuousClock.now - killed).inMilliseconds) after the kill")
        for (counter, instance) in zip(counters, instances) {
            for reader in instances {
                let name = "count.\(instance.name)"
                // The connection may be closed before the last answer is read, so the count may be one higher.
                try wait(within: 20, "\(name) on instance \(reader.name)") {
                    try number(name, in: reader) >= counter.last
                }
            }
        }
        let counted = counters.map { "\($0.last)" }.joined(separator: ", ")
        terminal.say("Every instance has all that a, b and c had answered: \(counted)")
    }

    /// Returns a number that the replica of an instance has, also while the instance does not run.
    private func number(_ key: String, in instance: Instance) throws -> Int {
        var options = DeviceStoreOptions()
        options.isReadOnly = true
        return try DeviceStore(path: instance.replica, options: options).value(Int.self, for: StoreKey(key)) ?? 0
    }
}

/// A request that makes an instance count until the connection ends.
private final class Counting: Sendable {
    private let state = Mutex((last: 0, hasEnded: false))
    private let lines: LineReader

    init(_ instance: Instance) throws {
        lines = try LineReader(port: instance.port, "POST", "/count")
        lines.start { [self] line in
            guard let words = line?.split(separator: " ") else { return state.withLock { $0.hasEnded = true } }
            if words.count == 2, words[0] == "count", let count = Int(words[1]) { state.withLock { $0.last = count } }
        }
    }

    /// The last number that the instance has answered.
    var last: Int { state.withLock(\.last) }

    /// Ends the connection, and waits until everything that was sent has been read.
    func finish() {
        lines.cut()
        try? wait(within: 5, "the end of a connection") { state.withLock(\.hasEnded) }
    }
}
