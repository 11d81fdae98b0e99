#if Objects
/// A sequence of table or column renames.
///
/// If a new name is still in use, the table or column first receives a temporary name.
struct NamePlan {
    /// The renames to perform, in order.
    private(set) var moves: [(from: String, to: String)] = []

    /// Plans simultaneous renames, such as swapping two names.
    ///
    /// - Parameters:
    ///   - renames: The old and new names. If a new name is `nil`, the table or column receives a temporary name.
    ///   - taken: All names in use before the renames.
    ///   - prefix: The prefix for temporary names.
    init(_ renames: [(old: String, new: String?)], taken: Set<String>, prefix: String = "larder_") {
        // SQLite ignores case in names, so a rename that changes only the case needs a temporary name.
        var taken = Set(taken.map { $0.lowercased() })
        var waiting: [(from: String, to: String)] = []
        var number = 0
        func free() -> String {
            repeat { number += 1 } while taken.contains("\(prefix)\(number)".lowercased())
            taken.insert("\(prefix)\(number)".lowercased())
            return "\(prefix)\(number)"
        }
        for (old, new) in renames where old != new {
            guard let new else {
                moves.append((old, free()))
                taken.remove(old.lowercased())
                continue
            }
            waiting.append((old, new))
        }
        while !waiting.isEmpty {
            if let place = waiting.firstIndex(where: { !taken.contains($0.to.lowercased()) }) {
                let next = waiting.remove(at: place)
                moves.append(next)
                taken.remove(next.from.lowercased())
                taken.insert(next.to.lowercased())
            } else {
                // All new names are in use by tables or columns that must be renamed first.
                let between = free()
                moves.append((waiting[0].from, between))
                taken.remove(waiting[0].from.lowercased())
                waiting[0].from = between
            }
        }
    }

    /// Returns the name of a table or column after all renames.
    func name(of old: String) -> String { moves.reduce(old) { name, move in move.from == name ? move.to : name } }
}
#endif
