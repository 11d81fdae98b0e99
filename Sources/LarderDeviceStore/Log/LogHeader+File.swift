import LarderCore
import LarderFiles

extension LogHeader {
    /// Reads the header of a log, and returns the header and the byte offsets of any corruption in the header.
    static func read(from file: any OpenFile, _ path: String) throws -> (header: LogHeader, flaws: [Int]) {
        let bytes = try file.read(at: 0, count: LogFormat.headerSize)
        let reading = bytes.withUnsafeBytes { LogHeader.read($0) }
        switch reading.choice {
        case .valid where bytes.count < LogFormat.headerSize:
            // The missing slot may be the one that has the newer synced mark.
            throw StoreError.damagedLog(path, at: 0, "its header is truncated")
        case .valid(let header): return (header, reading.flaws)
        case .newer(LogFormat.majorVersion, _): throw StoreError.newerLog(path, "it uses an unknown feature")
        case .newer(let major, let minor): throw StoreError.newerLog(path, "its format is \(major).\(minor)")
        case .invalid: throw StoreError.damagedLog(path, at: 0, "it is not a device store")
        }
    }

    /// Throws an error if the file uses a feature that this version of Larder can read but not write.
    ///
    /// A commit or a repair would not preserve the feature.
    func checkWriting(_ path: String) throws {
        guard forbidsWriting else { return }
        throw StoreError.newerLog(path, "it uses a feature that can be read but not written")
    }
}
