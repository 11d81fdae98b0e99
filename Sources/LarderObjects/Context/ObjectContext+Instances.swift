#if Objects
/// Instances are made when a caller asks for the objects, outside the gate.
///
/// An initializer runs the defaults of properties that are not stored. These are the caller's code: they may read any storage, or wait
/// for a thread that does.
extension ObjectContext {
    /// Returns the one instance of a state, which it makes if there is none yet.
    func instance(of state: ObjectState) -> AnyObject {
        if let instance = exclusively({ state.object }) { return instance }
        let made = state.entity.type.init(objectState: state)
        return exclusively { adopt(made, by: state) }
    }

    /// Returns the one instance of each state; none if these are objects of another class than `type`.
    func instances<T: Object>(_ type: T.Type, of states: [ObjectState]) -> [T] {
        guard let entity = states.first?.entity, entity.type == type else { return [] }
        // Every instance was made by the initializer of that class, which is final.
        func cast(_ instance: AnyObject) -> T { unsafeDowncast(instance, to: T.self) }
        guard isShared else {
            return states.map { state in
                if let instance = state.object { return cast(instance) }
                return cast(adopt(T(objectState: state), by: state))
            }
        }
        let known: [T?] = exclusively { states.map { $0.object.map(cast) } }
        let made = zip(states, known).map { state, instance in instance ?? T(objectState: state) }
        // An instance that another thread was faster to make is released with this array, outside the gate.
        return withExtendedLifetime(made) {
            exclusively { zip(states, made).map { cast(adopt($1, by: $0)) } }
        }
    }

    /// Makes a new instance the one of its state, unless there is one by now.
    ///
    /// A row that was deleted meanwhile is no longer in the table; its instance lives as long as references to it.
    private func adopt(_ made: AnyObject, by state: ObjectState) -> AnyObject {
        if let instance = state.object { return instance }
        if tables[state.entity.index][state.rowID] === state { state.object = made }
        return made
    }
}
#endif
