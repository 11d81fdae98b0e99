#if Objects
/// A check that detects objects in the result of a `performAndSave` closure.
///
/// In Swift 6 mode, the compiler rejects a result that contains objects. In Swift 5 mode, the compiler at most warns, so the check traps
/// in debug builds.
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
