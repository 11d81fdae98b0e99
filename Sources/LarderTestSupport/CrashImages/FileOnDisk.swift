/// A file on the simulated disk, with its durable content and its unsynced changes.
struct FileOnDisk: Sendable {
    enum Change: Sendable {
        case write(offset: Int, [UInt8], isLost: Bool)
        case resize(Int, isLost: Bool)
    }

    /// The durable content of the file.
    private(set) var base: [UInt8] = []
    var permissions: UInt16
    private var changes: [Change] = []
    /// The size of the file after all unsynced changes.
    private var size = 0

    init(_ content: [UInt8] = [], permissions: UInt16 = 0o600) {
        base = content
        size = content.count
        self.permissions = permissions
    }

    mutating func add(_ change: Change) {
        changes.append(change)
        size = Self.size(after: change, size)
    }

    /// Makes all changes durable, except those that were lost in a failed sync.
    mutating func confirm() {
        for change in changes {
            switch change {
            case .write(let offset, let bytes, false): Self.write(bytes[...], at: offset, to: &base)
            case .resize(let size, false): Self.resize(&base, to: size)
            case .write(_, _, true), .resize(_, true): break
            }
        }
        Self.resize(&base, to: size)
        changes.removeAll(keepingCapacity: true)
    }

    /// Makes the file's size and all changes in `range` durable, except changes that were lost in a failed sync.
    mutating func confirm(_ range: Range<Int>) {
        var whole = self
        whole.confirm()
        let confirmed = range.clamped(to: 0..<whole.base.count)
        Self.resize(&base, to: size)
        base.replaceSubrange(confirmed, with: whole.base[confirmed])
        changes = changes.flatMap { change -> [Change] in
            guard case .write(let offset, let bytes, let isLost) = change else { return [] }
            let end = offset + bytes.count
            var left: [Change] = []
            if offset < range.lowerBound {
                left.append(.write(offset: offset, Array(bytes.prefix(range.lowerBound - offset)), isLost: isLost))
            }
            if end > range.upperBound {
                let start = max(offset, range.upperBound)
                left.append(.write(offset: start, Array(bytes.suffix(end - start)), isLost: isLost))
            }
            return left
        }
    }

    /// Marks all unsynced changes as lost in a failed sync.
    ///
    /// Later syncs make these bytes durable only if they are written again.
    mutating func loseUnconfirmed() {
        changes = changes.map { change in
            switch change {
            case .write(let offset, let bytes, _): .write(offset: offset, bytes, isLost: true)
            case .resize(let size, _): .resize(size, isLost: true)
            }
        }
    }

    // MARK: Power loss

    /// Returns content that the file may have after a power loss.
    ///
    /// `choices` decides which unsynced changes survive.
    func settled(_ choices: inout some CrashChoices, _ tearing: Tearing) -> [UInt8] {
        if changes.isEmpty { return base }
        var sizes = [base.count]
        var touches: [Touch] = []
        for (number, change) in changes.enumerated() {
            let before = sizes[sizes.count - 1]
            let after = Self.size(after: change, before)
            if after != before { sizes.append(after) }
            let range = Self.range(of: change, size: before)
            var start = range.lowerBound
            while start < range.upperBound {
                let sector = start / DiskState.sectorSize
                let end = min(range.upperBound, (sector + 1) * DiskState.sectorSize)
                touches.append(Touch(sector: sector, change: number, range: start..<end))
                start = end
            }
        }
        touches.sort { ($0.sector, $0.change) < ($1.sector, $1.change) }

        var content = base
        Self.resize(&content, to: sizes[choices.choose(sizes.count)])
        var group = touches[...]
        while let first = group.first {
            let versions = group.prefix { $0.sector == first.sector }
            group = group[versions.endIndex...]
            settleSector(versions, in: &content, &choices, tearing)
        }
        return content
    }

    /// The part of a change that affects one sector.
    private struct Touch {
        let sector: Int
        let change: Int
        let range: Range<Int>
    }

    private func settleSector(
        _ versions: ArraySlice<Touch>,
        in content: inout [UInt8],
        _ choices: inout some CrashChoices,
        _ tearing: Tearing
    ) {
        guard let sector = versions.first?.sector, sector * DiskState.sectorSize < content.count else { return }
        let arrived = choices.choose(versions.count + 1)
        let end = min(content.count, (sector + 1) * DiskState.sectorSize)
        let fresh = max(sector * DiskState.sectorSize, base.count)
        if arrived == 0, fresh < end, choices.choose(2) == 1 {
            // The new sectors contain garbage, as if they belonged to other files before.
            for index in fresh..<end { content[index] = UInt8(truncatingIfNeeded: index &* 151 &+ 0xA5) }
        }
        for touch in versions.prefix(arrived) { apply(touch, touch.range.count, to: &content) }
        if tearing == .bytes, arrived < versions.count {
            let torn = versions[versions.startIndex + arrived]
            apply(torn, choices.choose(torn.range.count), to: &content)
        }
    }

    private func apply(_ touch: Touch, _ count: Int, to content: inout [UInt8]) {
        let range = (touch.range.lowerBound..<touch.range.lowerBound + count).clamped(to: 0..<content.count)
        guard !range.isEmpty else { return }
        switch changes[touch.change] {
        case .write(let offset, let bytes, _):
            content.replaceSubrange(range, with: bytes[(range.lowerBound - offset)..<(range.upperBound - offset)])
        case .resize:
            content.replaceSubrange(range, with: repeatElement(0, count: range.count))
        }
    }

    /// Returns the range that a change overwrites in a file of `size` bytes.
    private static func range(of change: Change, size: Int) -> Range<Int> {
        switch change {
        case .write(let offset, let bytes, _): offset..<offset + bytes.count
        case .resize(let after, _): min(after, size)..<size
        }
    }

    private static func size(after change: Change, _ size: Int) -> Int {
        switch change {
        case .write(let offset, let bytes, _): max(size, offset + bytes.count)
        case .resize(let after, _): after
        }
    }

    private static func write(_ bytes: ArraySlice<UInt8>, at offset: Int, to content: inout [UInt8]) {
        if content.count < offset + bytes.count { resize(&content, to: offset + bytes.count) }
        content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    private static func resize(_ content: inout [UInt8], to size: Int) {
        if size < content.count {
            content.removeSubrange(size...)
        } else if size > content.count {
            content.append(contentsOf: [UInt8](repeating: 0, count: size - content.count))
        }
    }
}
