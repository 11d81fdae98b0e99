import LarderCore
import LarderDeviceStore
import LarderFiles
import LarderTestSupport

/// The entry point of `make fuzz` for logs: opens, reads, verifies and writes a device store made of arbitrary bytes.
///
/// The first byte selects the meaning of the rest: a whole file; the content after a valid header; the entries of commits with valid
/// checksums, to reach the code behind the checks; a header with valid checksums; or a log of such commits that the header marks as
/// synced, damaged in some places.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLog(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    guard let shape = input.first else { return 0 }
    let rest = input.dropFirst()
    switch shape % 5 {
    case 0: check(Array(rest))
    case 1: check(HandmadeLog.header() + rest)
    case 2: check(HandmadeLog.header() + HandmadeLog.frames(commits(rest)))
    case 3: check(HandmadeLog.header(changedBy: rest))
    default: check(damagedLog(rest))
    }
    return 0
}

private let path = "/data/s.larder"

private func check(_ file: [UInt8]) {
    withIssueHandler({ _ in }) {
        let disk = SimulatedFileSystem(directories: ["/data"], files: [path: file], isRecording: false)
        var options = DeviceStoreOptions()
        options.environment.fileSystem = disk
        options.environment.isShared = false
        options.environment.isAutomatic = false
        let isGood = use(options)
        // Refusing the file left it unchanged; its intact part can be read, and it can be repaired.
        options.damage = .readOnly
        _ = use(options)
        options.damage = .quarantine
        let isRepaired = use(options)
        if isGood, !isRepaired { fatalError("A good file became a bad one.") }
    }
}

/// Uses the store, and returns whether it could be opened.
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

/// Returns a log in which up to three bytes of the commits are changed, each given by a two-byte offset and a change, and the header is
/// possibly lost.
private func damagedLog(_ bytes: some Collection<UInt8>) -> [UInt8] {
    var rest = Array(bytes)[...]
    func next() -> UInt8 { rest.popFirst() ?? 0 }
    let choice = next()
    let changes = (0..<Int(choice % 4)).map { _ in (place: Int(next()) | Int(next()) << 8, change: next()) }
    var frames = HandmadeLog.frames(commits(rest))
    // The synced mark, which the header sets to 4,096.
    let mark = UInt64(4096 + frames.count) ^ 4096
    var header = HandmadeLog.header(
        changedBy: [UInt8](repeating: 0, count: 56) + withUnsafeBytes(of: mark.littleEndian, Array.init)
    )
    if choice & 4 != 0 { header = [UInt8](repeating: 0, count: header.count) }
    if !frames.isEmpty { for (place, change) in changes { frames[place % frames.count] ^= change } }
    return header + frames
}

/// Returns the entries of consecutive commits, each preceded by its length in one byte.
private func commits(_ bytes: some Collection<UInt8>) -> [[UInt8]] {
    var rest = Array(bytes)[...]
    var commits: [[UInt8]] = []
    while let length = rest.popFirst(), commits.count < 200 {
        commits.append(Array(rest.prefix(Int(length))))
        rest = rest.dropFirst(Int(length))
    }
    return commits
}
