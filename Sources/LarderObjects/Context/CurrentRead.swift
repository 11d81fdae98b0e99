#if Objects
/// The read that this thread is in, so that a read inside of it uses the same connection.
enum CurrentRead {
    @TaskLocal static var statements: Confined?

    /// What a read uses.
    // Sendable because it goes nowhere: it is set and read on one thread, within one synchronous call.
    struct Confined: @unchecked Sendable {
        let statements: StatementCache
        let owner: ObjectIdentifier
    }
}
#endif
