#if Command
import Foundation
import LarderCore
import LarderDeviceStore

/// Makes a device store of 300 entries in 10 commits.
func fill(_ path: String) throws {
    let store = try DeviceStore(path: path)
    for round in 0..<10 {
        var batch = StoreBatch()
        for number in 0..<300 { batch.set(.int(Int64(round)), for: StoreKey("key\(number)")) }
        _ = try store.commit(batch)
    }
    try store.close()
}

/// Changes bytes of the file in the middle of what was synced.
func damage(_ path: String, at offset: UInt64 = 4096 + 700) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data([0xDE, 0xAD, 0xBE, 0xEF]))
    try file.close()
}
#endif
