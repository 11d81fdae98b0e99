package import LarderStores

/// A damaged log, and what a repair can keep of it.
package struct DamagedStore: Sendable {
    /// What is damaged.
    package enum Kind: CaseIterable, Sendable {
        /// One commit among others.
        case commit
        /// A part of a snapshot.
        case snapshot
        /// A commit whose value stays in the file.
        case largeValue
        /// Both slots of the header; no commit.
        case header
        /// Nothing can be told from chance.
        case everything
    }

    let kind: Kind
    let bytes: [UInt8]
    /// Every key that the damage does not concern.
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
        case .everything: (bytes, salvageable) = ([UInt8](repeating: 0xA5, count: 9_000), [:])
        }
    }
}

extension DamageProof {
    /// With one bit flipped in the middle of one frame.
    fileprivate func damaged(in frame: ([LogDissection.Frame]) -> Int) -> ([UInt8], Contents) {
        let number = frame(log.frames)
        let range = log.frames[number].range
        var damaged = bytes
        damaged[(range.lowerBound + range.upperBound) / 2] ^= 0x10
        return (damaged, log.contents(without: [number]))
    }

    /// With both slots of the header overwritten.
    fileprivate func withoutHeader() -> ([UInt8], Contents) {
        var damaged = bytes
        for offset in [0, 2048] {
            damaged.replaceSubrange(offset..<offset + 512, with: [UInt8](repeating: 0xA5, count: 512))
        }
        return (damaged, log.contents())
    }
}
