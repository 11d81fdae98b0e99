import LarderCore
import LarderFiles
import Synchronization

extension DeviceEngine {
    /// Reads the whole file again and compares it with what is in memory.
    ///
    /// Writers of this process wait meanwhile.
    func verify(progress: @Sendable (StoreProgress) -> Void = { _ in }) throws -> StoreVerification {
        try checkUsable()
        defer { deliver() }
        do {
            return try writer.withLock { writer in
                if control != nil { try follow(&writer) }
                return try verify(writer, progress)
            }
        } catch {
            throw StoreError.device(error, path)
        }
    }

    private func verify(
        _ writer: borrowing Writer,
        _ progress: @Sendable (StoreProgress) -> Void
    ) throws -> StoreVerification {
        var result = StoreVerification(checkedEntries: 0)
        let log = writer.log
        let reading = try headerReading(of: log)
        for flaw in reading.flaws {
            result.problems.append(.init("Part of the header is not as it was written.", offset: flaw))
        }
        guard case .valid(let header) = reading.choice, header.seed == log.seed else {
            result.problems.append(.init("The header is not that of this store.", offset: 0))
            return result
        }
        if damage != nil {
            result.problems.append(
                .init("The file is damaged; only its good part is shown.", offset: damage?.ranges.first?.lowerBound)
            )
            return result
        }
        var index = DeviceIndex(hash: hash)
        let total = writer.end.offset
        let end = try log.reader.frames(
            from: .beginning,
            to: total,
            progress: { progress(StoreProgress(completed: $0, total: total)) }
        ) {
            try index.apply($0, hash: hash)
        }
        if end != writer.end {
            result.problems.append(.init("A commit is not as it was written.", offset: end.offset))
        }
        memory.withLock { compare($0, with: index, &result) }
        return result
    }

    /// What the header says, and what of it is not as it was written, looked at twice: a slot may be half written just then.
    private func headerReading(of log: DeviceLog) throws -> LogHeader.Reading {
        func read() throws -> LogHeader.Reading {
            try log.file.read(at: 0, count: LogFormat.headerSize).withUnsafeBytes { LogHeader.read($0) }
        }
        let first = try read()
        guard !first.flaws.isEmpty else { return first }
        var second = try read()
        second.flaws.removeAll { !first.flaws.contains($0) }
        return second
    }

    private func compare(
        _ memory: borrowing Memory,
        with index: borrowing DeviceIndex,
        _ result: inout StoreVerification
    ) {
        if memory.index.count != index.count {
            result.problems.append(
                .init("The file holds \(index.count) entries, memory \(memory.index.count).")
            )
        }
        memory.index.forEachIndex { number in
            let mine = memory.index.entry(number)
            let (key, found) = memory.index.withKey(number) { (String(decoding: $0, as: UTF8.self), index.find($0)) }
            result.checkedEntries += 1
            guard let other = found else {
                result.problems.append(.init("The entry is not in the file.", key: key))
                return
            }
            let theirs = index.entry(other)
            let position = memory.index.position(number)
            if mine.value != theirs.value || mine.length != theirs.length || mine.checksum != theirs.checksum
                || mine.expiry != theirs.expiry
            {
                result.problems.append(.init("The value in the file is another one.", key: key, offset: position))
            } else if position != index.position(other) {
                result.problems.append(.init("The entry lies elsewhere in the file.", key: key, offset: position))
            } else if mine.isInFile, (try? memory.valueInFile(number).load()) == nil {
                // Whatever keeps it from being read: that it can't be is the finding, and reading the key throws the reason.
                result.problems.append(.init("The value can't be read.", key: key, offset: position))
            }
        }
    }
}
