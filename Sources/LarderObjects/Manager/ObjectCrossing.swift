#if Objects
/// A debug check for objects in the result of a `performAndSave` closure.
///
/// The check is needed for the Swift 5 language mode, in which the compiler accepts results that contain objects.
enum ObjectCrossing {
    static func check<T>(_ result: Result<T, any Error>) {
        assert(
            !holdsObject(result),
            "The result of performAndSave contains an object, which can't leave its storage. Return its objectID or plain values instead."
        )
    }

    /// Returns whether a value contains an object at any depth of optionals, collections, tuples, structs or enumerations.
    static func holdsObject(_ value: Any) -> Bool {
        if value is any Object { return true }
        let mirror = Mirror(reflecting: value)
        // Objects that a class instance refers to are not part of the result.
        if mirror.displayStyle == .class { return false }
        return mirror.children.contains { holdsObject($0.value) }
    }
}
#endif
