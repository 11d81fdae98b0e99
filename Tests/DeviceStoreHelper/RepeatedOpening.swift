import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport

/// A series of openings.
///
/// Each time, the last written store is opened as the previous process left it, and the next store is created.
enum RepeatedOpening {
    /// Opens stores until this process is killed.
    ///
    /// Writes to shared memory which store was written last, and how many openings were begun and completed.
    static func run(in folder: String, _ options: DeviceStoreOptions, stating path: String) throws {
        let written = try SharedNumber(at: path)
        let (begun, ended) = (try SharedNumber(at: path + ".begun"), try SharedNumber(at: path + ".ended"))
        func file(_ number: Int64) -> String { "\(folder)/s\(number).larder" }
        func open(_ number: Int64) throws -> DeviceStore {
            begun.value += 1
            let store = try DeviceStore(path: file(number), options: options)
            ended.value += 1
            return store
        }
        while true {
            let last = written.value
            if last > 0 {
                let store = try open(last)
                guard try store.get("number") == .int(last), try store.verify().isIntact else {
                    throw Wrong("s\(last) does not hold what was written.")
                }
                try store.close()
            }
            let store = try open(last + 1)
            try store.set(.int(last + 1), for: "number")
            written.value = last + 1
            try store.close()
            for name in [file(last), file(last) + ".ctl"] { unlink(name) }
        }
    }
}
