#if Postgres
import Foundation
import Synchronization

/// A network between engines and a server that can be cut: then it loses everything, and neither side notices.
final class LoopbackProxy: Sendable {
    let port: Int
    private let listener: Int32
    /// The number of cuts so far; a connection from before a cut stays dead.
    private let cuts: Cuts

    private final class Cuts: Sendable {
        let count = Atomic<Int>(0)
        let isCut = Atomic<Bool>(false)
    }

    /// Listens on a free port, and forwards connections to another port.
    init(to server: Int) throws {
        let cuts = Cuts()
        self.cuts = cuts
        (listener, port) = try LoopbackSocket.listening()
        Thread.detachNewThread { [listener] in
            while case let accepted = accept(listener, nil, nil), accepted >= 0 {
                guard !cuts.isCut.load(ordering: .sequentiallyConsistent) else { continue }
                guard let forwarded = LoopbackSocket.connected(to: server) else {
                    close(accepted)
                    continue
                }
                let generation = cuts.count.load(ordering: .sequentiallyConsistent)
                for (source, target) in [(accepted, forwarded), (forwarded, accepted)] {
                    Thread.detachNewThread { Self.forward(source, target, cuts, generation) }
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func forward(_ source: Int32, _ target: Int32, _ cuts: Cuts, _ generation: Int) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(source, &buffer, buffer.count), count > 0 {
            guard cuts.count.load(ordering: .sequentiallyConsistent) == generation else { continue }
            send(target, buffer, count, Int32(MSG_NOSIGNAL))
        }
        // The end of a connection is lost with the rest. The sockets stay open until the test process ends.
        if cuts.count.load(ordering: .sequentiallyConsistent) == generation { shutdown(target, Int32(SHUT_RDWR)) }
    }

    /// Loses everything from now on, also of new connections.
    func cut() {
        cuts.isCut.store(true, ordering: .sequentiallyConsistent)
        cuts.count.add(1, ordering: .sequentiallyConsistent)
    }

    /// Forwards new connections again.
    func heal() { cuts.isCut.store(false, ordering: .sequentiallyConsistent) }
}
#endif
