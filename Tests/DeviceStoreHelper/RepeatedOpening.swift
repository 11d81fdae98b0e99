import Foundation
import LarderCore
import LarderDeviceStore
import LarderTestSupport

/// One opening after the other: of the store that was written last, as it was left, and of the next one, which is made by it.
enum RepeatedOpening {
    /// Opens until it is killed, and states in shared memory which store was written last and how many openings were begun and ended.
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
