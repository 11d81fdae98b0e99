#if Objects
/// The entities of one database, and the version of the whole.
///
/// Raise the version whenever the classes change in a way that an older program could not read; a file written with a higher
/// version is refused, untouched.
public struct ObjectModel: Sendable {
    let descriptions: [EntityDescription]
    let version: Int

    /// A model.
    ///
    /// It is checked when a manager opens it, which throws one error that lists every fault.
    ///
    /// - Parameters:
    ///   - entities: The classes.
    ///   - version: The version of the whole, from 1.
    public init(_ entities: [any Object.Type], version: Int = 1) {
        self.descriptions = entities.map { $0.entityDescription }
        self.version = version
    }
}
#endif
