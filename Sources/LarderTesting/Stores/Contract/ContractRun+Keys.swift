import LarderCore

extension ContractRun {
    func keysAreBytes(_ store: any KeyValueStore) throws {
        let texts = StoredDictionary(
            StoredValueGenerator.edgeTexts.filter(store.admits).map { ($0, .string("value of \($0)")) }
        )
        var batch = StoreBatch()
        for entry in texts { batch.set(entry.value, for: StoreKey(entry.key)) }
        try commitInParts(batch, to: store)
        try requireEntries(texts.map { ($0.key, $0.value) }, in: store)
        for entry in texts { try requireValue(entry.value, at: entry.key, in: store) }
        let parted = try store.get(StoreKey("\u{301}", prefix: "e"))
        try require(parted == texts["e\u{301}"], "a key should not depend on how it is split into prefix and name")
        try store.remove("e\u{301}")
        try requireValue(texts["\u{E9}"], at: "\u{E9}", in: store)
        try requireValue(nil, at: "e\u{301}", in: store)
    }

    func listingIsExactAndSorted(_ store: any KeyValueStore) throws {
        let keys = [
            "", "a", "a.", "a.b", "a.c", "a.\u{E9}", "a.e\u{301}", "ab", "A.b", "b", "\u{10FFFF}", "\u{FFFD}", "\u{0}",
        ].filter(store.admits)
        var batch = StoreBatch()
        for key in keys { batch.set(.string(key), for: StoreKey(key)) }
        _ = try store.commit(batch)
        for prefix in ["", "a", "a.", "a.e", "a.\u{E9}", "nothing", "\u{0}"] {
            let expected = keys.filter { $0.utf8.starts(with: prefix.utf8) }
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            try requireEntries(expected.map { ($0, .string($0)) }, prefix: prefix, in: store)
            let listed = try store.keys(prefix: prefix).map { Array($0.utf8) }
            try require(listed == expected.map { Array($0.utf8) }, "`keys` should agree with `entries`")
            try require(try store.count(prefix: prefix) == expected.count, "`count` should agree with `entries`")
        }
    }

    func invalidKeysAreRejected(_ store: any KeyValueStore) throws {
        // A view of another store adds its prefix to keys, for which 64 bytes are reserved.
        let longest = String(
            repeating: "k",
            count: min(StoreKey.maximumLength - 64, store.capabilities.limits?.keyLength ?? .max)
        )
        try store.set(1, for: longest)
        try requireValue(1, at: longest, in: store)
        let tooLong = String(repeating: "k", count: StoreKey.maximumLength + 1)
        for (key, code) in [(tooLong, .keyTooLong), ("\u{0}larder", .reservedKey), ("\u{0}larder.x", .reservedKey)]
            as [(String, StoreError.Code)]
        {
            let what = "the key \(key.prefix(20).debugDescription)"
            try requireRefusal(code, of: "setting \(what)", by: store) { try store.set(1, for: key) }
            try requireRefusal(code, of: "removing \(what)", by: store) { try store.remove(key) }
            try requireRefusal(code, of: "reading \(what)", by: store) { _ = try store.get(key) }
            try requireRefusal(code, of: "expecting \(what)", by: store) {
                _ = try store.compareAndSet(StoreKey(key), expecting: nil, to: nil)
            }
        }
        try store.set(2, for: "\u{0}lardeR")
        try requireValue(2, at: "\u{0}lardeR", in: store)
    }
}
