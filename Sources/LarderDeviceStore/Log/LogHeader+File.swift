import LarderCore
import LarderFiles

extension LogHeader {
    /// Reads the header of a log, and what of it is not as it was written.
    static func read(from file: any OpenFile, _ path: String) throws -> (header: LogHeader, flaws: [Int]) {
        let bytes = try file.read(at: 0, count: LogFormat.headerSize)
        let reading = bytes.withUnsafeBytes { LogHeader.read($0) }
        switch reading.choice {
        case .valid where bytes.count < LogFormat.headerSize:
            // The slot that is missing may be the one that knew how much was synced.
            throw StoreError.damagedLog(path, at: 0, "its header is cut off")
        case .valid(let header): return (header, reading.flaws)
        case .newer(LogFormat.majorVersion, _): throw StoreError.newerLog(path, "it uses a feature that is not known")
        case .newer(let major, let minor): throw StoreError.newerLog(path, "its format is \(major).\(minor)")
        case .invalid: throw StoreError.damagedLog(path, at: 0, "it does not begin like a store of this kind")
        }
    }

    /// Throws where a feature is in use that this version may not write: neither a commit nor a repair would keep it.
    func checkWriting(_ path: String) throws {
        guard forbidsWriting else { return }
        throw StoreError.newerLog(path, "it uses a feature that can be read but not written")
    }
}
