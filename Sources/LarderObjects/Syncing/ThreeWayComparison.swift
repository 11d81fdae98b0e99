#if Objects
/// The differences between an edited struct, the struct as it was read, and the stored struct.
struct ThreeWayComparison<Property: Equatable> {
    /// The edited properties to write, with their edited values.
    ///
    /// A property whose stored value already equals the edited value is omitted.
    let edited: [Property]
    /// The properties in ``edited`` whose stored value also changed since it was read.
    let conflicts: [Property]

    /// Compares three structs, each given as its properties in the same order.
    init(mine: [Property], read: [Property], theirs: [Property]) {
        var edited: [Property] = []
        var conflicts: [Property] = []
        for ((mine, read), theirs) in zip(zip(mine, read), theirs) where mine != read && mine != theirs {
            edited.append(mine)
            if theirs != read { conflicts.append(mine) }
        }
        self.edited = edited
        self.conflicts = conflicts
    }
}
#endif
