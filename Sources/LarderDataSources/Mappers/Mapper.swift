/// Turns a value of one type into a value of another.
public protocol Mapper<From, To>: Sendable {
    /// What goes in.
    associatedtype From
    /// What comes out.
    associatedtype To

    /// Maps one value.
    ///
    /// - Parameter from: The value.
    /// - Returns: What it becomes.
    /// - Throws: Any error; the data source's call then fails with it, and nothing was changed.
    func map(_ from: From) throws -> To
}
