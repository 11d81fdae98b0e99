import LarderCore
import LarderFiles
import Synchronization

/// Per-key locks that serialize changes to a key among the threads of this process.
///
/// A claim is a lock on a key, with a timeout because an in-place change may be suspended (`await Defaults.profile.load()`) and end on
/// another thread, or never. A thread waits a limited time for a claim whose holder runs client code, and then takes over the claim. The
/// former holder continues, and detects the conflict when its change ends, by comparing the stored value. Losing a claim costs speed, never
/// correctness.
///
/// A claim is represented by one word in a table. All keys whose hashes map to the same word share the word and wait for one another. The
/// word contains the number of the claim and the thread that holds it, if any. A thread that already holds a word proceeds without another
/// claim.
struct KeyClaims: Sendable {
    /// The table that records the claims of this process.
    ///
    /// All adapters share the table, because several adapters may use one store.
    static let table = WordTable()

    /// A closure that waits briefly.
    ///
    /// A waiting thread calls the closure repeatedly until the claim is released.
    ///
    /// The first calls only yield the processor (`isShort` is `true`), and later calls sleep for ``sleepInterval``.
    typealias Wait = @Sendable (_ isShort: Bool) -> Void

    // A copy, because each access to a global checks whether the global is initialized.
    private let table: WordTable
    private let placeHash: UInt64
    private let wait: Wait

    /// Creates the claims for the keys in one store.
    ///
    /// - Parameters:
    ///   - place: The identity of the store.
    ///   - table: The words that record the claims. Each test passes its own table, because two tests whose keys shared a word would wait
    ///     for each other.
    ///   - wait: A closure that waits briefly. Tests replace this closure.
    init(
        of place: Place,
        table: WordTable = table,
        wait: @escaping Wait = { $0 ? CurrentProcess.yield() : CurrentProcess.sleep(for: sleepInterval) }
    ) {
        self.table = table
        placeHash = UInt64(truncatingIfNeeded: place.hashValue) &* 0x9E37_79B9_7F4A_7C15
        self.wait = wait
    }

    /// The number of times that a waiting thread yields the processor before it starts to sleep.
    ///
    /// Most claims are released while the thread yields.
    static let yieldCount = 50
    /// The duration of one sleep while waiting for a claim.
    ///
    /// Waits are limited by the number of sleeps rather than by a clock, so that no wait expires while the process is suspended.
    static let sleepInterval = Duration.milliseconds(1)
    /// The maximum number of sleeps while a claim's holder runs client code (a quarter of a second).
    static let sleepsForCaller = 250
    /// The maximum number of sleeps while a claim's holder commits (30 seconds).
    ///
    /// A commit also ends when the store's own timeout expires.
    static let sleepsForCommit = 30_000

    /// The identity of a store.
    ///
    /// A store that is a class instance is identified by its address, and a store that is a struct by its name and kind.
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

    /// The state of a claim: the holder, a flag for client code, and a counter.
    ///
    /// The lower 32 bits contain the number of the thread, or 0. The next bit is set if client code is running. The remaining bits count
    /// the claims.
    private struct State: Equatable {
        static let callerBit: UInt64 = 1 << 32
        let word: UInt64

        /// The number of the thread that holds the claim, or 0 if the claim is free.
        var thread: UInt32 { UInt32(truncatingIfNeeded: word) }
        /// The counter and the thread number, without the bit for client code.
        var claim: UInt64 { word & ~Self.callerBit }
        var waits: Int {
            KeyClaims.yieldCount
                + (word & Self.callerBit != 0 ? KeyClaims.sleepsForCaller : KeyClaims.sleepsForCommit)
        }

        /// Returns the content of the word after `thread` has acquired the next claim.
        func next(of thread: UInt32) -> UInt64 { (word >> 33 &+ 1) << 33 | UInt64(thread) }
    }

    /// The right of one thread to change a key in place, acquired by ``claim(_:isWithCaller:)`` and released by ``end()``.
    struct Claim: @unchecked Sendable {
        // Sendable because the word is never freed and is accessed with atomic operations only.
        fileprivate let word: UnsafeMutablePointer<Atomic<UInt64>>
        /// The acquired claim, or `nil` if the thread already held the word.
        fileprivate let claim: UInt64?

        /// Records whether the holder is about to run client code or to commit, which determines how long other threads wait.
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

    /// Returns whether any thread, including this one, holds the claim on a key.
    func isHeld(_ key: StoreKey) -> Bool {
        State(word: word(of: key).pointee.load(ordering: .acquiring)).thread != 0
    }

    /// Acquires the claim on a key, waiting until the current holder releases the claim or the wait times out.
    ///
    /// - Parameters:
    ///   - key: The key to claim.
    ///   - isWithCaller: Whether the holder runs client code next, rather than a commit.
    /// - Returns: The claim, which must be released with ``Claim/end()``.
    func claim(_ key: StoreKey, isWithCaller: Bool) -> Claim { claim(word(of: key), isWithCaller: isWithCaller) }

    /// Acquires the claims on several keys, in the order of their words to avoid deadlocks.
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
