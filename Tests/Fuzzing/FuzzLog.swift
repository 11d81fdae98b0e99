import LarderCore
import LarderFiles
import LarderStores
import LarderTestSupport

/// What `make fuzz` calls with bytes of its own invention: a device store made of them is opened, read, verified and written.
///
/// The first byte chooses what the rest is: a whole file; what follows a good header; the entries of commits whose checks are
/// put right, so that what is behind the checks is reached; or a header whose checks are put right.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLog(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let shape = input.first else { return 0 }
    let rest = input.dropFirst()
    switch shape % 4 {
    case 0: check(Array(rest))
    case 1: check(header() + rest)
    case 2: check(header() + frames(rest))
    default: check(header(changedBy: rest))
    }
    return 0
}

private let path = "/data/s.larder"
private let identifier = (0..<16).map { UInt8($0) }

private func check(_ file: [UInt8]) {
    withIssueHandler({ _ in }) {
        let disk = LyingFileSystem(directories: ["/data"], files: [path: file], isRecording: false)
        var options = DeviceStoreOptions()
        options.environment.fileSystem = disk
        options.environment.isShared = false
        options.environment.isAutomatic = false
        let isGood = use(options)
        // Refusing it left it as it was; its good part can be read, and it can be repaired.
        options.damage = .readOnly
        _ = use(options)
        options.damage = .quarantine
        let isRepaired = use(options)
        if isGood, !isRepaired { fatalError("A good file became a bad one.") }
    }
}

/// Whether it could be opened.
private func use(_ options: DeviceStoreOptions) -> Bool {
    do {
        let store = try DeviceStore(path: path, options: options)
        let before = try store.entries(prefix: "")
        _ = try store.verify()
        guard store.damage == nil || options.damage == .quarantine else { return true }
        try store.set(.int(7), for: "written afterwards")
        try store.close()
        let again = try DeviceStore(path: path, options: options)
        let after = try again.entries(prefix: "").filter { $0.key != "written afterwards" }
        let expected = before.filter { $0.key != "written afterwards" }
        if try again.get("written afterwards") != .int(7) { fatalError("What was written is not there.") }
        if after != expected { fatalError("\(expected) became \(after).") }
        try again.compact()
        if try !again.verify().isIntact { fatalError("Compaction made something else of it.") }
        return true
    } catch is StoreError {
        return false
    } catch {
        fatalError("\(error)")
    }
}

// MARK: Files with good checks

private func header(changedBy changes: some Collection<UInt8> = []) -> [UInt8] {
    var slot = [UInt8](repeating: 0, count: 512)
    slot.replaceSubrange(0..<10, with: [0x4C, 0x41, 0x52, 0x44, 0x45, 0x52, 0x1A, 0x0A, 1, 0])
    slot.replaceSubrange(24..<40, with: identifier)
    slot[40] = 1
    slot[57] = 0x10
    slot[65] = 0x10
    for (index, change) in changes.prefix(508 - 8).enumerated() { slot[8 + index] ^= change }
    var file = [UInt8](repeating: 0, count: 4096)
    for (offset, number) in [(0, UInt8(2)), (2048, 1)] {
        slot[48] ^= number
        let check = slot[..<508].withUnsafeBytes { CRC32C.of($0) }
        withUnsafeBytes(of: check.littleEndian) { slot.replaceSubrange(508..<512, with: $0) }
        file.replaceSubrange(offset..<offset + 512, with: slot)
        slot[48] ^= number
    }
    return file
}

/// Commits of entries that follow one another, each with its length before it in one byte.
private func frames(_ bytes: some Collection<UInt8>) -> [UInt8] {
    let seed = (identifier + [1, 0, 0, 0, 0, 0, 0, 0]).withUnsafeBytes { CRC32C.of($0) }
    var rest = Array(bytes)[...]
    var file: [UInt8] = []
    var sequence: UInt8 = 0
    while let length = rest.popFirst(), sequence < 200 {
        sequence += 1
        let entries = rest.prefix(Int(length))
        rest = rest.dropFirst(Int(length))
        var frame = [0, 0, 0, 0] + [UInt8](repeating: 0, count: 12) + entries
        withUnsafeBytes(of: UInt32(frame.count).littleEndian) { frame.replaceSubrange(4..<8, with: $0) }
        frame[8] = sequence
        frame += [UInt8](repeating: 0, count: (8 - frame.count % 8) % 8)
        let check = frame.dropFirst(4).withUnsafeBytes { CRC32C.of($0, continuing: seed) }
        withUnsafeBytes(of: check.littleEndian) { frame.replaceSubrange(0..<4, with: $0) }
        file += frame
    }
    return file
}
