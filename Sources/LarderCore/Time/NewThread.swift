import CLarderPlatform

/// A namespace for a function that starts threads.
package enum NewThread {
    /// Starts a thread that runs `body` and does not receive signals sent to the process.
    ///
    /// - Parameters:
    ///   - name: The name that debuggers show, of at most 15 bytes.
    ///   - body: A closure that may block.
    /// - Returns: 0, or the error number if no thread can be started.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Int32 {
        final class Body: Sendable {
            let run: @Sendable () -> Void
            init(_ run: @escaping @Sendable () -> Void) { self.run = run }
        }
        let kept = Unmanaged.passRetained(Body(body))
        let number = larder_start_thread(
            { context in
                guard let context else { return }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            },
            kept.toOpaque(),
            name
        )
        if number != 0 { kept.release() }
        return number
    }
}
