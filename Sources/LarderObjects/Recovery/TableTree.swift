#if Objects
/// The pages of a table's b-tree that are reachable from the root page.
struct TableTree {
    /// The range of keys that a subtree may contain.
    struct Keys {
        /// The exclusive lower bound.
        var above: Int64 = .min
        var upTo: Int64 = .max

        func contains(_ key: Int64) -> Bool { key > above && key <= upTo }
    }

    struct Leaf {
        let page: Int
        let keys: Keys
        let depth: Int
    }

    /// The maximum depth of a b-tree in SQLite.
    static let maximumDepth = 20

    /// The leaf pages, in ascending key order.
    ///
    /// If two parents refer to the same page, the page is listed twice, with different key ranges. The keys on the page can fit only one of
    /// these ranges.
    private(set) var leaves: [Leaf] = []
    /// The root pages of unreadable subtrees.
    private(set) var gaps: [Leaf] = []
    /// The numbers of all pages that belong to the tree.
    private(set) var pages: Set<Int> = []
    /// Whether the tree contains an intact page in the wrong position.
    private(set) var hasReplacedPages = false

    /// Traverses the tree from its root without parsing the leaf pages.
    init(root: Int, _ file: PageFile) { visit(Leaf(page: root, keys: Keys(), depth: 0), file) }

    private mutating func visit(_ part: Leaf, _ file: PageFile) {
        guard part.depth < Self.maximumDepth, let bytes = file.page(part.page) else {
            gaps.append(part)
            return
        }
        if bytes[part.page == 1 ? 100 : 0] == BTreePage.leafType {
            if !pages.insert(part.page).inserted { hasReplacedPages = true }
            leaves.append(part)
            return
        }
        // If a page was reached before, one of its two parents is corrupt.
        guard !pages.contains(part.page),
            case .interior(let children, let last) = BTreePage(bytes, number: part.page, usableSize: file.usableSize),
            children.allSatisfy({ part.keys.contains($0.key) })
        else {
            gaps.append(part)
            if file.isTreePage(bytes, number: part.page) { hasReplacedPages = true }
            return
        }
        pages.insert(part.page)
        var keys = part.keys
        for (child, key) in children {
            keys.upTo = key
            visit(Leaf(page: child, keys: keys, depth: part.depth + 1), file)
            keys.above = key
        }
        keys.upTo = part.keys.upTo
        visit(Leaf(page: last, keys: keys, depth: part.depth + 1), file)
    }

    /// Returns the rows of a leaf page, or `nil` if the page is corrupt or its keys are outside the range of the leaf.
    func rows(of leaf: Leaf, _ file: PageFile) -> (bytes: [UInt8], cells: [BTreePage.Cell])? {
        guard let bytes = file.page(leaf.page),
            case .leaf(let cells) = BTreePage(bytes, number: leaf.page, usableSize: file.usableSize),
            cells.allSatisfy({ leaf.keys.contains($0.key) }),
            // SQLite frees a leaf when its last row is deleted. An empty leaf below the root is a copy of another table's root.
            !cells.isEmpty || leaf.depth == 0
        else { return nil }
        return (bytes, cells)
    }

    /// Returns the minimum and the maximum number of rows in an unreadable subtree.
    ///
    /// - Parameters:
    ///   - part: The root page of the subtree.
    ///   - file: The pages of the database.
    ///   - maximumKey: The largest possible key of a row.
    ///   - isLeaf: Whether the subtree is known to be a single leaf page.
    /// - Returns: The range of the number of rows.
    static func lostRows(_ part: Leaf, _ file: PageFile, maximumKey: Int64, isLeaf: Bool) -> ClosedRange<Int> {
        let first = max(part.keys.above, 0)
        let keys = Int(clamping: min(part.keys.upTo, maximumKey).subtractingReportingOverflow(first).partialValue)
        let upper = max(0, min(keys, isLeaf ? file.rowsOfPage : file.capacity))
        // Only a root page may be empty.
        return min(part.depth > 0 ? 1 : 0, upper)...upper
    }
}
#endif
