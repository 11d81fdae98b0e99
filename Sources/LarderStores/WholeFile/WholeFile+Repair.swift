import LarderCore
import LarderFiles

extension WholeFile {
    /// Reads the file for the first time, and repairs a corrupt file if the policy is `.quarantine`.
    func open(whenDamaged: StoreFileDamagePolicy) throws {
        do {
            let problem = try read { $0.content.problems.first }
            guard problem != nil, whenDamaged == .quarantine else { return }
            issues.report(LarderIssue(.damaged, try repair().description))
        } catch let error as StoreError where error.code == .damaged && whenDamaged == .quarantine {
            issues.report(LarderIssue(.damaged, try repair().description, underlying: error))
        }
    }

    /// Makes a backup copy of a corrupt file and replaces the file with one that contains the readable entries.
    func repair() throws -> StoreFileRepair {
        guard try StoreError.wrapping(path, { try format.current(at: path, on: fileSystem) }) != nil else {
            return .nothing(path)
        }
        return try withCommitLock {
            guard let (bytes, information, _) = try contents() else { return .nothing(path) }
            do {
                let content = try decode(bytes)
                if content.problems.isEmpty { return .nothing(path, entries: content.table.count) }
            } catch let error as StoreError where error.code == .damaged {}
            let (content, problems) = try format.salvage(bytes)
            let new = try format.encode(content)
            let copy = try StoreError.wrapping(path) {
                let copy = try copyAside(bytes)
                if let unconfirmed = try format.replace(path, seen: information, with: new, on: fileSystem) {
                    throw unconfirmed
                }
                return copy
            }
            return StoreFileRepair(
                path: path,
                copiedTo: copy,
                recoveredEntries: content.table.count,
                problems: problems
            )
        }
    }

    private func copyAside(_ bytes: [UInt8]) throws -> String {
        var number = 1
        while true {
            let copy = "\(path).damaged-\(number)"
            do {
                let file = try fileSystem.open(
                    copy,
                    FileOpenMode(isWritable: true, creation: .always, followsLinks: false)
                )
                do {
                    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
                    try file.synchronize(.everything)
                    try file.close()
                    try fileSystem.synchronizeDirectory(at: FilePath.folder(of: copy))
                } catch {
                    // A partial copy could be mistaken for a complete one, and the original file is still in place.
                    try? fileSystem.remove(copy)
                    throw error
                }
                return copy
            } catch let error as FileError where error.code == .alreadyExists {
                number += 1
            }
        }
    }
}
