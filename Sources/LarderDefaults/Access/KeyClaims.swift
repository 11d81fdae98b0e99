import LarderCore
import LarderFiles
import Synchronization

/// Per-key locks with a timeout, which serialize changes to each key within this process.
///
/// A claim is the lock of one key. If client code holds a claim for too long, a waiting thread takes it over. The former holder detects the
/// conflict at the end of its change, when the stored value differs from the value it has read.
///
/// Each claim is a 64-bit integer in a hash table. Keys whose hashes select the same integer share a claim. Claims are reentrant.
struct KeyClaims: Sendable {
    /// The lock table shared by all adapters of this process.
    static let table = WordTable()

    /// A closure that pauses the current thread briefly while it waits for a claim.
    ///
    /// If `isShort` is `true`, the closure yields the processor. Otherwise it sleeps for ``sleepInterval``.
    typealias Wait = @Sendable (_ isShort: Bool) -> Void

    // A copy, because each access to a global checks whether the global is initialized.
    private let table: WordTable
    private let placeHash: UInt64
    private let wait: Wait

    /// Creates the per-key locks of one store.
    ///
    /// - Parameters:
    ///   - place: The identity of the store.
    ///   - table: The table that holds the claims. Each test passes its own table.
    ///   - wait: A closure that pauses the current thread briefly. Tests replace this closure.
    init(
        of place: Place,
        table: WordTable = table,
        wait: @escaping Wait = { $0 ? CurrentProcess.yield() : CurrentProcess.sleep(for: sleepInterval) }
    ) {
        self.table = table
        placeHash = UInt64(truncatingIfNeeded: place.hashValue) &* 0x9E37_79B9_7F4A_7C15
        self.wait = wait
    }

    /// The number of times that a waiting thread yields the processor before it sleeps.
    static let yieldCount = 50
    /// The duration of one sleep while waiting for a claim.
    ///
    /// Timeouts count sleeps instead of reading a clock, so that they don't expire while the process is suspended.
    static let sleepInterval = Duration.milliseconds(1)
    /// The number of sleeps after which a waiting thread takes over a claim whose holder runs client code (250 ms in total).
    static let sleepsForCaller = 250
    /// The number of sleeps after which a waiting thread takes over a claim whose holder is committing (30 seconds in total).
    static let sleepsForCommit = 30_000

    /// The identity of a store: the address of a class instance, or the name and kind of a struct.
    enum Place: Hashable {
        case object(ObjectIdentifier)
        case name(String, kind: String)

        init(_ store: any KeyValueStore) {
            if type(of: store) is AnyClass {
                self = .object(ObjectIdentifier(store as AnyObject))
            } else {
                self = .name(store.inspectionName, kind: store.inspectionKind)
            }
        }
    }

    /// The state of a claim.
    ///
    /// The lower 32 bits contain the number of the holding thread, or 0. The next bit is set while the holder runs client code. The
    /// remaining bits count the acquisitions.
    private struct State: Equatable {
        static let callerBit: UInt64 = 1 << 32
        let word: UInt64

        /// The number of the thread that holds the claim, or 0 if the claim is free.
        var thread: UInt32 { UInt32(truncatingIfNeeded: word) }
        /// The value of ``word`` without the client-code bit, which identifies a single acquisition of the claim.
        var claim: UInt64 { word & ~Self.callerBit }
        var waits: Int {
            KeyClaims.yieldCount
                + (word & Self.callerBit != 0 ? KeyClaims.sleepsForCaller : KeyClaims.sleepsForCommit)
        }

        /// Returns the value of ``word`` after `thread` acquires the claim.
        func next(of thread: UInt32) -> UInt64 { (word >> 33 &+ 1) << 33 | UInt64(thread) }
    }

    /// A lock that a thread holds on a key until ``end()`` is called.
    struct Claim: @unchecked Sendable {
        // Sendable because the word is never freed and is accessed with atomic operations only.
        fileprivate let word: UnsafeMutablePointer<Atomic<UInt64>>
        /// The value that identifies this acquisition, or `nil` if the thread already held the claim.
        fileprivate let claim: UInt64?

        /// Records whether the holder is running client code, which determines how long other threads wait for the claim.
        func note(isWithCaller: Bool) { replace { isWithCaller ? $0 | State.callerBit : $0 } }

        /// Releases the claim, unless another thread has taken it over.
        ///
        /// This method may be called on any thread.
        func end() { replace { $0 & ~UInt64(UInt32.max) } }

        private func replace(by new: (UInt64) -> UInt64) {
            let current = word.pointee.load(ordering: .relaxed)
            guard let claim, State(word: current).claim == claim else { return }
            // The exchange fails if another thread takes over the claim at this moment. There is then nothing to release.
            _ = word.pointee.compareExchange(expected: current, desired: new(claim), ordering: .releasing)
        }
    }

    private func word(of key: StoreKey) -> UnsafeMutablePointer<Atomic<UInt64>> {
        table[key.rememberingHash().rememberedHash &+ placeHash]
    }

    /// Returns whether any thread, including the current thread, holds the claim on a key.
    func isHeld(_ key: StoreKey) -> Bool {
        State(word: word(of: key).pointee.load(ordering: .acquiring)).thread != 0
    }

    /// Acquires the claim on a key, waiting until the current holder releases the claim or the wait times out.
    ///
    /// - Parameters:
    ///   - key: The key to claim.
    ///   - isWithCaller: Whether the holder will run client code, which selects the shorter timeout.
    /// - Returns: The claim, which must be released with ``Claim/end()``.
    func claim(_ key: StoreKey, isWithCaller: Bool) -> Claim { claim(word(of: key), isWithCaller: isWithCaller) }

    /// Acquires the claims on several keys, in a fixed order to avoid deadlocks.
    func claim(_ keys: [StoreKey], isWithCaller: Bool) -> [Claim] {
        keys.map(word).sorted().map { claim($0, isWithCaller: isWithCaller) }
    }

    private func claim(_ word: UnsafeMutablePointer<Atomic<UInt64>>, isWithCaller: Bool) -> Claim {
        let thread = CurrentThread.number
        var state = State(word: word.pointee.load(ordering: .relaxed))
        var (waitedFor, waits) = (state.claim, 0)
        while true {
            if state.thread == thread { return Claim(word: word, claim: nil) }
            if state.thread == 0 || waits >= state.waits {
                let next = state.next(of: thread)
                let (isClaimed, current) = word.pointee.compareExchange(
                    expected: state.word,
                    desired: isWithCaller ? next | State.callerBit : next,
                    ordering: .acquiring
                )
                if isClaimed { return Claim(word: word, claim: next) }
                state = State(word: current)
                continue
            }
            // The limit applies to each claim, so a thread may wait longer if other threads acquire the word first.
            if state.claim != waitedFor { (waitedFor, waits) = (state.claim, 0) }
            wait(waits < Self.yieldCount)
            waits += 1
            state = State(word: word.pointee.load(ordering: .relaxed))
        }
    }
}
