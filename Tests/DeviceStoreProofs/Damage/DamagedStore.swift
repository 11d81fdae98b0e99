package import LarderDeviceStore

/// A damaged log, and the entries that a repair can keep.
package struct DamagedStore: Sendable {
    /// The damaged part.
    package enum Kind: CaseIterable, Sendable {
        /// A commit between other commits.
        case commit
        /// A part of a snapshot.
        case snapshot
        /// A commit whose value stays in the file.
        case largeValue
        /// Both slots of the header, but no commit.
        case header
        /// One slot of the header. The store is opened with the other slot.
        case slot
        /// Reserved bytes of the header, which are no longer zero. The store is opened as if the bytes were zero.
        case zeros
        /// The whole file, which contains only random bytes.
        case everything

        /// Whether the store can be opened despite the damage, which is then reported as an issue.
        var isFlaw: Bool { self == .slot || self == .zeros }

        /// The ways to request the repair; a store that can be opened is not quarantined.
        package var ways: [RepairProof.Way] { isFlaw ? [.repair] : RepairProof.Way.allCases }
    }

    let kind: Kind
    let bytes: [UInt8]
    /// All keys that the damage does not affect.
    let salvageable: Contents

    package init(_ kind: Kind, _ io: DeviceStoreOptions.IO) throws {
        self.kind = kind
        switch kind {
        case .commit: (bytes, salvageable) = try DamageProof(.commits, io).damaged { $0.count / 2 }
        case .snapshot: (bytes, salvageable) = try DamageProof(.snapshot, io).damaged { _ in 0 }
        case .largeValue:
            (bytes, salvageable) = try DamageProof(.largeValues, io).damaged { frames in
                frames.indices.max { frames[$0].range.count < frames[$1].range.count } ?? 0
            }
        case .header: (bytes, salvageable) = try DamageProof(.commits, io).withoutHeader()
        case .slot: (bytes, salvageable) = try DamageProof(.commits, io).overwritten(2_048 + 100..<2_048 + 110)
        case .zeros: (bytes, salvageable) = try DamageProof(.commits, io).overwritten(3_000..<3_010)
        case .everything: (bytes, salvageable) = ([UInt8](repeating: 0xA5, count: 9_000), [:])
        }
    }
}

extension DamageProof {
    /// Returns the file with one bit flipped in the middle of a frame.
    fileprivate func damaged(in frame: ([LogDissection.Frame]) -> Int) -> ([UInt8], Contents) {
        let number = frame(log.frames)
        let range = log.frames[number].range
        var damaged = bytes
        damaged[(range.lowerBound + range.upperBound) / 2] ^= 0x10
        return (damaged, log.contents(without: [number]))
    }

    /// Returns the file with both slots of the header overwritten.
    fileprivate func withoutHeader() -> ([UInt8], Contents) { overwritten(0..<512, 2_048..<2_560) }

    /// Returns the file with parts of the header overwritten.
    fileprivate func overwritten(_ ranges: Range<Int>...) -> ([UInt8], Contents) {
        var damaged = bytes
        for range in ranges { damaged.replaceSubrange(range, with: [UInt8](repeating: 0xA5, count: range.count)) }
        return (damaged, log.contents())
    }
}
