#if Objects
/// Looks for objects in what leaves `performAndSave`.
///
/// In Swift 6 mode the compiler refuses them already. In Swift 5 mode it warns at most, and a debug build traps here, as the
/// original did.
enum ObjectCrossing {
    static func check<T>(_ result: Result<T, any Error>) {
        assert(
            !holdsObject(result),
            "An object left performAndSave inside its result. Objects belong to their storage: return its objectID, or values."
        )
    }

    /// Whether there is an object in a value: in optionals, collections, dictionaries, tuples, structs and enums, at any depth.
    static func holdsObject(_ value: Any) -> Bool {
        if value is any Object { return true }
        let mirror = Mirror(reflecting: value)
        // What a class refers to does not cross by itself.
        if mirror.displayStyle == .class { return false }
        return mirror.children.contains { holdsObject($0.value) }
    }
}
#endif
