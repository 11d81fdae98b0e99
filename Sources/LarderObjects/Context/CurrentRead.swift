#if Objects
/// The read that this thread is in, so that a read inside of it uses the same connection.
enum CurrentRead {
    // Set and read on one thread within one synchronous call; the statements never leave it.
    @TaskLocal static var statements: Confined?

    struct Confined: @unchecked Sendable {
        let statements: StatementCache
        let owner: ObjectIdentifier
    }
}
#endif
