#if Objects
import Foundation
import Testing

/// Forks this process, runs `body` in the child, and returns the child's exit status.
///
/// Swift makes `fork` unavailable, because a forked child may do very little: `body` must not wait for other threads. Call this function in
/// a process that has no other work.
func statusOfForkedChild(_ body: () -> Int32) throws -> Int32 {
    typealias Fork = @convention(c) () -> Int32
    let fork = unsafeBitCast(try #require(dlsym(dlopen(nil, RTLD_NOW), "fork")), to: Fork.self)
    let child = fork()
    if child == 0 { _exit(body()) }
    var status: Int32 = -1
    #expect(waitpid(child, &status, 0) == child)
    return status
}
#endif
