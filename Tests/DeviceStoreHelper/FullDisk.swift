import Foundation
import LarderCore
import LarderStores

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A store on a disk that is full.
enum FullDisk {
    /// Adds keys until there is no more room, then changes and removes what is there.
    ///
    /// `limit` is how large a file may become; `nil` where the disk itself is that small.
    static func fill(_ path: String, _ options: DeviceStoreOptions, limit: UInt?) throws {
        if let limit {
            // Without this, a file that is too large is a signal and not an error.
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
        guard isFull else { throw Wrong("It never was full.") }
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

    private static func check(_ store: DeviceStore, _ known: [String: StoredValue]) throws {
        guard try store.keys().count == known.count else { throw Wrong("\(try store.keys().count) keys") }
        for (key, value) in known where try store.get(StoreKey(key)) != value { throw Wrong("\(key) is wrong") }
        let problems = try store.verify().problems
        guard problems.isEmpty else { throw Wrong("Not intact: \(problems)") }
    }
}
