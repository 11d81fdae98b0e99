import LarderCore

extension ContractRun {
    func pagesAreExactAndSorted(_ store: any KeyValueStore) throws {
        let keys =
            (["", "a", "a.", "a.b", "a.c", "a.\u{E9}", "a.e\u{301}", "ab", "A.b", "b", "\u{10FFFF}", "\u{1}", "\u{1}b"]
            + (0..<40).map { "number.number.\($0)" }).filter(store.admits)
            .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var batch = StoreBatch()
        for key in keys { batch.set(.string("value of \(key)"), for: StoreKey(key)) }
        try commitInParts(batch, to: store)
        for prefix in ["", "a", "a.", "number.number.1", "nothing", "\u{1}"] {
            let expected = keys.filter { $0.utf8.starts(with: prefix.utf8) }
            for limit in [1, 7, 1_000] { try requirePages(expected, prefix: prefix, limit: limit, in: store) }
        }
        for limit in [0, -1] {
            try require(
                try store.entries(after: nil, limit: limit).isEmpty,
                "a page for \(limit) entries should be empty"
            )
        }
        // The key before a page may have been removed, or never have been in the store.
        try requirePage(keys.filter { Self.follows($0, "a.bb") }, after: "a.bb", in: store)
        try store.remove("a.c")
        try requirePage(keys.filter { Self.follows($0, "a.c") }, after: "a.c", in: store)
        try requirePage([], after: "\u{10FFFF}\u{10FFFF}", in: store)
        try requireInspectedPages(keys.filter { $0 != "a.c" }, in: store)
    }

    private static func follows(_ key: String, _ other: String) -> Bool {
        other.utf8.lexicographicallyPrecedes(key.utf8)
    }

    private func requirePage(_ expected: [String], after key: String, in store: any KeyValueStore) throws {
        let found = try store.entries(after: key, limit: 5).map(\.key)
        try require(
            Self.areSame(found, Array(expected.prefix(5))),
            "the entries after \(key.debugDescription) should be \(expected.prefix(5)), but are \(found)"
        )
    }

    private func requirePages(_ expected: [String], prefix: String, limit: Int, in store: any KeyValueStore) throws {
        var found: [StoreEntry] = []
        while found.count <= expected.count {
            let page = try store.entries(after: found.last?.key, prefix: prefix, limit: limit)
            found += page
            let isRight = page.count == min(limit, expected.count - (found.count - page.count))
            try require(
                isRight,
                "a page for \(limit) entries should be full unless it is the last, but has \(page.count)"
            )
            if page.count < limit { break }
        }
        try require(
            Self.areSame(found.map(\.key), expected) && found.allSatisfy { $0.value == .string("value of \($0.key)") },
            "the pages with prefix \(prefix.debugDescription) should contain \(expected), but contain \(found)"
        )
    }

    /// Checks the pages that inspection tools display, unless the store displays tables of its own.
    private func requireInspectedPages(_ keys: [String], in store: any KeyValueStore) throws {
        guard try store.inspectionTables().contains(where: { $0.name == "entries" }) else { return }
        var query = InspectionQuery(table: "entries", limit: 7)
        try requireInspected(keys, query, in: store)
        query.order = [.init("key", isAscending: false)]
        try requireInspected(keys.reversed(), query, in: store)
        query.prefix = "number."
        query.text = "NUMBER.3"
        let matching = keys.filter { $0.utf8.starts(with: "number.number.3".utf8) }
        try requireInspected(matching.reversed(), query, in: store)
        query.order = []
        query.prefix = ""
        query.text = "of a.\u{C9}"
        try requireInspected(keys.filter { Self.areSame([$0], ["a.\u{E9}"]) }, query, in: store)
    }

    private func requireInspected(_ keys: [String], _ query: InspectionQuery, in store: any KeyValueStore) throws {
        var query = query
        var found: [InspectionRecord] = []
        repeat {
            let page = try store.inspectionPage(query)
            found += page.records
            try require(page.next == nil || page.next != query.after, "a page should not continue where it began")
            query.after = page.next
        } while query.after != nil
        try require(
            Self.areSame(found.map(\.key), keys)
                && found.allSatisfy { $0.values == [.string($0.key), "string", .string("value of \($0.key)")] },
            "the inspected pages of \(query) should contain \(keys), but contain \(found.map(\.key))"
        )
        guard let key = keys.first else { return }
        let record = try store.inspectionRecord(key, in: "entries")
        try require(record?.values.last == .string("value of \(key)"), "`inspectionRecord` should agree with the pages")
    }

    private static func areSame(_ left: [String], _ right: [String]) -> Bool {
        left.count == right.count && zip(left, right).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
}
