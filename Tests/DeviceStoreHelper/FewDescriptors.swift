import Foundation
import LarderCore
import LarderDeviceStorage
import LarderDeviceStore
import LarderFiles
import LarderStores
import LarderTestSupport
import Synchronization

/// Stores in a process with a low limit on open files: `DeviceStoreHelper descriptors IO FOLDER LIMIT`.
///
/// The limit is set first and raised only between the calls under test. Each of these calls must succeed or throw an error that names the
/// limit. The program prints the name of each call, with "done" or "refused".
struct FewDescriptors {
    private let limit: Int
    private let folder: String
    private let options: DeviceStoreOptions

    private struct Settings: Codable, Equatable {
        var launches = 0
    }

    /// Runs the asynchronous calls if `suspending` is `true`, and the blocking calls otherwise.
    static func run(_ arguments: [String], suspending: Bool) throws {
        guard
            arguments.count == 3, let limit = Int(arguments[2]),
            let io = DeviceStoreOptions.IO.allCases.first(where: { "\($0)" == arguments[0] })
        else { throw Wrong("DeviceStoreHelper descriptors IO FOLDER LIMIT") }
        allowFiles(limit)
        HeldProcess.exitWhenInputCloses()
        var options = DeviceStoreOptions()
        options.io = io
        // Each store behaves as if it were in another process, and its maintenance runs often.
        options.environment.isShared = suspending
        options.environment.tick = .milliseconds(10)
        let calls = FewDescriptors(limit: limit, folder: arguments[1], options: options)
        guard suspending else { return try onSmallStack { try calls.useEverything() } }
        let result = Mutex<Swift.Result<Void, any Error>?>(nil)
        Task.detached {
            let outcome: Swift.Result<Void, any Error>
            do { outcome = .success(try await calls.suspend()) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
        }
        try blockUntil(within: .seconds(600), "the calls") { result.withLock { $0 != nil } }
        try result.withLock { try $0?.get() }
    }

    // MARK: Asynchronous calls

    private func suspend() async throws {
        let path = "\(folder)/device.larder"
        let opened = try attempt("open") { try DeviceStore(path: path, options: options) }
        let store = try opened ?? allowed { try DeviceStore(path: path, options: options) }
        let changes = store.changes(prefix: "", buffering: .all())
        try await attempt("synced put") { try await store.set(1, for: "a", durability: .synced) }
        try await attempt("change") {
            try store.set(2, for: "b")
            for await _ in changes { return }
        }
        // Enough writes for several threads to share a sync.
        try await attempt("synced puts at once") {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<50 {
                    group.addTask { try await store.set(1, for: StoreKey("key\(number)"), durability: .synced) }
                }
                try await group.waitForAll()
            }
        }
        try await attempt("flush") { try await store.flush() }
        let isIntact = try allowed { try store.get("b") == 2 && store.verify().isIntact }
        guard isIntact else { throw Wrong("The store is not intact.") }
        try await attempt("close") { try await store.close() }
        let file = try allowed { try PropertyListStore(path: "\(folder)/s.plist") }
        try await attempt("put in a property list") { try await file.set(1, for: "a", durability: .synced) }
        try await attempt("flush a property list") { try await file.flush() }
        let settings = try allowed {
            try SettingsFile(URL(fileURLWithPath: "\(folder)/settings.plist"), defaults: Settings())
        }
        try await attempt("observe settings") { for try await _ in settings.changes(for: \.launches) { return } }
    }

    private func useEverything() throws {
        try useSharedStore()
        try useDeviceStore()
        try openDamagedStore()
        try useWholeFile("property list") { try PropertyListStore(path: "\(folder)/s.plist") }
        try useWholeFile("shared preferences") { try SharedPreferencesStore(path: "\(folder)/s.xml") }
        try useSettingsFile()
        try useUserDefaults()
    }

    // MARK: Stores

    /// Uses the first store in the process, which is opened the way every program opens it.
    private func useSharedStore() throws {
        var options = options
        options.environment.isShared = true
        let path = "\(folder)/shared.larder"
        try attempt("use a store") {
            let store = try DeviceStore(path: path, options: options)
            try store.set(1, for: "a")
            try store.flush()
            try store.close()
        }
        let store = try allowed { try DeviceStore(path: path, options: options) }
        guard try [nil, 1].contains(store.get("a")), try store.verify().isIntact else { throw Wrong("a is wrong") }
        try allowed { try store.close() }
    }

    private func useDeviceStore() throws {
        let path = "\(folder)/device.larder"
        let opened = try attempt("open a new store") { try DeviceStore(path: path, options: options) }
        let store = try allowed { try opened ?? DeviceStore(path: path, options: options) }
        let other = try allowed { try DeviceStore(path: path, options: options) }
        var known: [String: StoredValue] = [:]
        let big = StoredValue.data(Data(repeating: 7, count: 40_000))
        for (key, value) in ["small": 1, "text": "more than fifteen bytes", "big": big] as [String: StoredValue] {
            if try attempt("put \(key)", { try store.set(value, for: key) }) != nil { known[key] = value }
        }
        if try attempt("remove", { try store.remove("text") }) != nil { known["text"] = nil }
        if try attempt("transaction", { try store.transaction { try $0.set(2, for: "pair") } }) != nil {
            known["pair"] = 2
        }
        try attempt("get") { _ = try (store.get("small"), store.get("big"), store.entries(prefix: "")) }
        try attempt("flush") { try store.flush() }
        // Both stores also compact automatically.
        try attempt("compact") { try retryWhileBusy { try store.compact() } }
        if try attempt("synced put", { try store.set(3, for: "synced", durability: .synced) }) != nil {
            known["synced"] = 3
        }
        try attempt("outgrow") {
            for number in 0..<1_000 {
                try store.set(.data(Data(repeating: UInt8(truncatingIfNeeded: number), count: 300)), for: "large")
            }
        }
        known["large"] = .data(Data(repeating: UInt8(truncatingIfNeeded: 999), count: 300))
        try attempt("back up") { try retryWhileBusy { try store.backup(to: "\(folder)/backup.larder") } }
        try attempt("verify") {
            guard try store.verify().isIntact else { throw Wrong("The store is not intact.") }
        }
        try observe(store, other, &known)
        try allowed { try retryWhileBusy { try other.compact() } }
        try attempt("follow a compaction") { _ = try store.get("small") }
        if try attempt("put after a compaction", { try store.set(5, for: "last") }) != nil { known["last"] = 5 }
        try allowed { try check(store, known) }
        try attempt("close") { try store.close() }
        try allowed { try other.close() }
        try attempt("open") { try DeviceStore(path: path, options: options).close() }
        var reading = options
        reading.isReadOnly = true
        try attempt("open read-only") { try DeviceStore(path: path, options: reading).close() }
        try allowed { try check(DeviceStore(path: path, options: options), known) }
    }

    private func observe(_ store: DeviceStore, _ other: DeviceStore, _ known: inout [String: StoredValue]) throws {
        let origins = Mutex(Set<String>())
        let observation = try attempt("observe") {
            let observation = store.observe(prefix: "seen") { event in
                guard case .change(let change) = event else { return }
                _ = origins.withLock { $0.insert(change.origin.description) }
            }
            try store.set(1, for: "seen")
            return observation
        }
        known["seen"] = 1
        try attempt("observe another process") {
            try other.set(2, for: "seen")
            try blockUntil("the change") { origins.withLock { $0.count == 2 } }
        }
        known["seen"] = 2
        observation?.cancel()
    }

    private func openDamagedStore() throws {
        let path = "\(folder)/damaged.larder"
        try allowed {
            let store = try DeviceStore(path: path, options: options)
            for number in 0..<10 { try store.set(.int(Int64(number)), for: "key\(number)") }
            try store.close()
            guard let file = FileHandle(forUpdatingAtPath: path) else { throw Wrong("\(path) can't be opened.") }
            try file.seek(toOffset: 4_200)
            try file.write(contentsOf: Data(repeating: 0x55, count: 20))
            try file.close()
        }
        try attempt("repair") { _ = try DeviceStore.repair(at: path, options: options) }
        var quarantining = options
        quarantining.damage = .quarantine
        try attempt("open with repair") { try DeviceStore(path: path, options: quarantining).close() }
        try allowed {
            // A store that was repaired when it was opened remains marked as repaired.
            try DeviceStore(path: path, options: quarantining).close()
            let store = try DeviceStore(path: path, options: options)
            let problems = try store.verify().problems
            guard problems.isEmpty else { throw Wrong("The repaired store is not intact: \(problems)") }
            try store.close()
        }
    }

    private func useWholeFile(_ name: String, _ open: () throws -> any KeyValueStore) throws {
        let store = try allowed { try attempt("open a \(name)", open) ?? allowed(open) }
        let seen = Atomic(0)
        let observation = store.observe(prefix: "") { _ in seen.add(1, ordering: .relaxed) }
        var known: [String: StoredValue] = [:]
        if try attempt("put in a \(name)", { try store.set(1, for: "a") }) != nil { known["a"] = 1 }
        if try attempt("synced put in a \(name)", { try store.set(2, for: "b", durability: .synced) }) != nil {
            known["b"] = 2
        }
        try attempt("get from a \(name)") { _ = try store.get("a") }
        try attempt("flush a \(name)") { try store.flush() }
        try attempt("verify a \(name)") { _ = try store.verify() }
        observation.cancel()
        try allowed { try check(store, known) }
        guard seen.load(ordering: .relaxed) >= known.count else { throw Wrong("Changes were not observed.") }
    }

    private func useSettingsFile() throws {
        let file = try allowed {
            try SettingsFile(URL(fileURLWithPath: "\(folder)/settings.plist"), defaults: Settings())
        }
        let changes = try attempt("observe settings") { file.changes(for: \.launches) }
        let isSet = try attempt("change settings") { try file.setValue(1, for: \.launches) } != nil
        try attempt("read settings") { _ = try file.value() }
        withExtendedLifetime(changes) {}
        guard try allowed({ try file.value(for: \.launches) }) == (isSet ? 1 : 0) else {
            throw Wrong("Settings are lost.")
        }
    }

    private func useUserDefaults() throws {
        let name = "larder-descriptors-\(getpid())"
        defer {
            // The file is where Foundation looks for it, so nothing is left in the home folder.
            let environment = ProcessInfo.processInfo.environment
            let folder = environment["XDG_CONFIG_HOME"] ?? (environment["HOME"] ?? "") + "/.config"
            _ = unlink("\(folder)/\(name).plist")
        }
        let store = try allowed {
            guard let userDefaults = UserDefaults(suiteName: name) else { throw Wrong("There is no \(name).") }
            return UserDefaultsStore(userDefaults)
        }
        let isSet = try attempt("put in user defaults") { try store.set(1, for: "a") } != nil
        try attempt("get from user defaults") { _ = try store.get("a") }
        try attempt("flush user defaults") { try store.flush() }
        guard try allowed({ try store.get("a") }) == (isSet ? 1 : nil) else { throw Wrong("User defaults are lost.") }
    }

    private func check(_ store: any KeyValueStore, _ known: [String: StoredValue]) throws {
        for (key, value) in known where try store.get(key) != value {
            throw Wrong("\(key) holds \(try store.get(key) as Any)")
        }
        let problems = try store.verify().problems
        guard problems.isEmpty else { throw Wrong("The store is not intact: \(problems)") }
    }

    // MARK: The limit

    /// Makes a call while the limit is in force.
    ///
    /// - Returns: The result of the call, or `nil` if the call threw an error because no more files can be opened.
    /// - Throws: Any other error that the call throws.
    @discardableResult
    private func attempt<Result>(_ name: String, _ call: () throws -> Result) throws -> Result? {
        Self.allowFiles(limit)
        do {
            let result = try call()
            Self.say("\(name): done")
            return result
        } catch {
            let code = (error as? StoreError)?.code.description ?? (error as? FileError)?.code.description
            guard code == "tooManyOpenFiles", "\(error)".contains("EMFILE"), "\(error)".contains("ulimit -n") else {
                throw Wrong("\(name): \(error)")
            }
            Self.say("\(name): refused")
            return nil
        }
    }

    /// Makes an asynchronous call while the limit is in force.
    @discardableResult
    private func attempt<Result>(_ name: String, _ call: () async throws -> Result) async throws -> Result? {
        let outcome: Swift.Result<Result, any Error>
        Self.allowFiles(limit)
        do { outcome = .success(try await call()) } catch { outcome = .failure(error) }
        return try attempt(name) { try outcome.get() }
    }

    /// Makes a call that is not under test, with the limit raised.
    private func allowed<Result>(_ call: () throws -> Result) rethrows -> Result {
        Self.allowFiles(256)
        return try call()
    }

    private static func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    private static func allowFiles(_ count: Int) {
        var limit = rlimit()
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        getrlimit(resource, &limit)
        limit.rlim_cur = rlim_t(count)
        guard setrlimit(resource, &limit) == 0 else { fatalError("The limit can't be set.") }
    }

    /// Runs `body` on a thread whose stack has 512 KB, which is the default on some platforms.
    private static func onSmallStack(_ body: @escaping @Sendable () throws -> Void) throws {
        let result = Mutex<Swift.Result<Void, any Error>?>(nil)
        let thread = Thread {
            let outcome = Swift.Result { try body() }
            result.withLock { $0 = outcome }
        }
        thread.stackSize = 512 << 10
        thread.start()
        try blockUntil(within: .seconds(600), "the calls") { result.withLock { $0 != nil } }
        try result.withLock { try $0?.get() }
    }
}
