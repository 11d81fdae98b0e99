#if Objects
/// All names that an entity or a property has had, oldest first.
///
/// The last name is the current name.
struct NameHistory: Hashable, Sendable {
    let names: [String]

    init(former: [String], name: String) { names = former + [name] }

    /// The current name.
    var name: String { names[names.count - 1] }

    /// Returns the length of the longest suffix of this history that is a prefix of another history.
    ///
    /// A nonzero length means that both histories belong to the same entity or property.
    func overlap(with model: NameHistory) -> Int {
        var count = min(names.count, model.names.count)
        while count > 0, !names.suffix(count).elementsEqual(model.names.prefix(count)) { count -= 1 }
        return count
    }
}
#endif
