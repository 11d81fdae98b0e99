#if Command
import Foundation
import LarderCore
import LarderDeviceStore

/// Creates a device store with 300 entries in 10 commits.
func fill(_ path: String) throws {
    let store = try DeviceStore(path: path)
    for round in 0..<10 {
        var batch = StoreBatch()
        for number in 0..<300 { batch.set(.int(Int64(round)), for: StoreKey("key\(number)")) }
        _ = try store.commit(batch)
    }
    try store.close()
}

/// Damages a device store by overwriting bytes in the synced part of its file.
func damage(_ path: String, at offset: UInt64 = 4096 + 700) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path))
    try file.seek(toOffset: offset)
    try file.write(contentsOf: Data([0xDE, 0xAD, 0xBE, 0xEF]))
    try file.close()
}
#endif
