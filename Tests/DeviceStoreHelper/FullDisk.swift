import Foundation
import LarderCore
import LarderDeviceStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Checks of a store on a full disk.
enum FullDisk {
    /// Adds keys until the disk is full, and then changes and removes existing keys.
    ///
    /// `limit` is the maximum size of a file, or `nil` if the disk itself is small.
    static func fill(_ path: String, _ options: DeviceStoreOptions, limit: UInt?) throws {
        if let limit {
            // Otherwise a write beyond the limit raises a signal instead of an error.
            signal(SIGXFSZ, SIG_IGN)
            var size = rlimit(rlim_cur: rlim_t(limit), rlim_max: rlim_t(limit))
            #if canImport(Glibc)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &size) == 0 else { throw Wrong("No limit.") }
            #else
            guard setrlimit(RLIMIT_FSIZE, &size) == 0 else { throw Wrong("No limit.") }
            #endif
        }
        let store = try DeviceStore(path: path, options: options)
        var known: [String: StoredValue] = [:]
        var isFull = false
        for number in 0..<1_000_000 where !isFull {
            let value = StoredValue.data(Data(repeating: UInt8(truncatingIfNeeded: number), count: 100))
            do {
                try store.set(value, for: StoreKey("key\(number)"))
                known["key\(number)"] = value
            } catch let error as StoreError where error.code == .diskFull {
                isFull = true
            }
        }
        guard isFull else { throw Wrong("The disk never became full.") }
        for number in 0..<20 {
            try store.set(.int(Int64(number)), for: StoreKey("key\(number)"))
            known["key\(number)"] = .int(Int64(number))
        }
        for number in 20..<40 {
            try store.remove(StoreKey("key\(number)"))
            known["key\(number)"] = nil
        }
        try check(store, known)
        try store.close()
        try check(DeviceStore(path: path, options: options), known)
        print("\(store.io): \(known.count)")
    }

    /// Opens a store while there is no space even for its control file, and again after space was freed.
    static func open(_ path: String, _ options: DeviceStoreOptions) throws {
        let filler = path + ".filler"
        guard FileManager.default.createFile(atPath: filler, contents: nil),
            let file = FileHandle(forWritingAtPath: filler)
        else { throw Wrong("\(filler) can't be made.") }
        do {
            while true { try file.write(contentsOf: Data(count: 4096)) }
        } catch {
            try file.close()
        }
        for attempt in 1...2 {
            do {
                _ = try DeviceStore(path: path, options: options)
                throw Wrong("The store could be opened on a full disk.")
            } catch let error as StoreError where error.code == .diskFull {
                print("Attempt \(attempt): \(error)")
            }
        }
        try FileManager.default.removeItem(atPath: filler)
        let store = try DeviceStore(path: path, options: options)
        try store.set(1, for: "a")
        try check(store, ["a": 1])
        try store.close()
    }

    private static func check(_ store: DeviceStore, _ known: [String: StoredValue]) throws {
        guard try store.keys().count == known.count else { throw Wrong("\(try store.keys().count) keys") }
        for (key, value) in known where try store.get(StoreKey(key)) != value { throw Wrong("\(key) is wrong") }
        let problems = try store.verify().problems
        guard problems.isEmpty else { throw Wrong("Not intact: \(problems)") }
    }
}
