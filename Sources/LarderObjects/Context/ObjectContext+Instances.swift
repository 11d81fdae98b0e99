#if Objects
/// Creates Swift objects on demand, without holding the context's lock.
///
/// An object's initializer evaluates the defaults of transient properties. This runs client code, which may read any storage or wait for
/// another thread.
extension ObjectContext {
    /// Returns the Swift object for `state`, creating the object if necessary.
    func instance(of state: ObjectState) -> AnyObject {
        if let instance = exclusively({ state.object }) { return instance }
        let made = state.entity.type.init(objectState: state)
        return exclusively { adopt(made, by: state) }
    }

    /// Returns the Swift objects for `states`, or an empty array if `type` is not the class of the states' entity.
    func instances<T: Object>(_ type: T.Type, of states: [ObjectState]) -> [T] {
        guard let entity = states.first?.entity, entity.type == type else { return [] }
        // The cast is safe because the instances were created by the initializer of the final class `T`.
        func cast(_ instance: AnyObject) -> T { unsafeDowncast(instance, to: T.self) }
        guard isShared else {
            return states.map { state in
                if let instance = state.object { return cast(instance) }
                return cast(adopt(T(objectState: state), by: state))
            }
        }
        // Usually all instances already exist, so one pass is enough.
        var present: [T] = []
        present.reserveCapacity(states.count)
        let isComplete = exclusively {
            states.allSatisfy { state in
                guard let instance = state.object else { return false }
                present.append(cast(instance))
                return true
            }
        }
        if isComplete { return present }
        let known: [T?] = exclusively { states.map { $0.object.map(cast) } }
        let made = zip(states, known).map { state, instance in instance ?? T(objectState: state) }
        // If another thread created an instance first, the surplus instance is released with this array, without holding the context's
        // lock.
        return withExtendedLifetime(made) {
            exclusively { zip(states, made).map { cast(adopt($1, by: $0)) } }
        }
    }

    /// Associates the new object `made` with `state`, unless the state already has an object.
    ///
    /// A state that is no longer in the context's table does not retain the object.
    ///
    /// - Returns: The state's object, which is `made` or the existing object.
    private func adopt(_ made: AnyObject, by state: ObjectState) -> AnyObject {
        if let instance = state.object { return instance }
        if tables[state.entity.index][state.rowID] === state { state.object = made }
        return made
    }
}
#endif
