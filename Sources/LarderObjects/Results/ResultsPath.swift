#if Objects
public import Foundation

/// A position in a sectioned list.
public struct ResultsPath: Sendable, Hashable, Comparable {
    /// The index of the section.
    public let section: Int
    /// The index within the section.
    public let item: Int

    /// Creates a path.
    ///
    /// - Parameters:
    ///   - section: The index of the section.
    ///   - item: The index within the section.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    /// Creates a path from an index path with two indexes, or returns `nil` if the index path has another length.
    ///
    /// - Parameter indexPath: The index path, such as that of a row in a table view.
    public init?(_ indexPath: IndexPath) {
        guard indexPath.count == 2 else { return nil }
        self.init(section: indexPath[0], item: indexPath[1])
    }

    /// The path as an index path with two indexes.
    public var indexPath: IndexPath { [section, item] }

    /// Returns whether a path precedes another one in the list.
    public static func < (first: ResultsPath, second: ResultsPath) -> Bool {
        first.section == second.section ? first.item < second.item : first.section < second.section
    }
}
#endif
