import Foundation
import LarderCore

/// Orders the changes of one key among the threads of this process.
///
/// A claim is no lock: an access in place may be suspended (`await Defaults.profile.load()`) and end on another thread, or never. So a
/// thread waits a limited time for a claim whose holder runs the caller's code, and then takes the claim over. The first holder keeps its
/// value and finds at its end, by comparing what is stored, that it was overtaken. Losing a claim costs speed and never correctness.
///
/// A thread that claims a key again does not wait for itself: it goes ahead without a claim.
final class KeyClaims: @unchecked Sendable {
    // Sendable because `holders`, `waiting` and `lastNumber` are reached while `condition` is locked, and nowhere else.
    private let condition = NSCondition()
    private var holders: [Claimed: Holder] = [:]
    private var waiting = 0
    private var lastNumber: UInt64 = 0

    /// One table for the process, because several adapters may stand on one store.
    static let shared = KeyClaims()

    /// Waits one turn for a claim to end; `false` if none did.
    private let wait: @Sendable (NSCondition) -> Bool

    /// - Parameter wait: Waits one turn; for tests.
    init(wait: @escaping @Sendable (NSCondition) -> Bool = { $0.wait(until: Date(timeIntervalSinceNow: turn)) }) {
        self.wait = wait
    }

    /// How long one wait lasts.
    ///
    /// A process that was stopped, or a clock that was set, ends one wait early and not all of them.
    static let turn: TimeInterval = 0.05
    /// How many turns a thread waits for the caller's code: a quarter of a second.
    private static let turnsForCaller = 5
    /// How many turns a thread waits for a commit, which ends by itself when the store gives up: 30 seconds.
    private static let turnsForCommit = 600

    /// Which store a key is in: the object, or the name of one that is a struct over something shared.
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

    fileprivate struct Claimed: Hashable {
        let place: Place
        let key: StoreKey
    }

    private struct Holder {
        /// Of the claim; the same for all keys of one.
        let number: UInt64
        /// Kept, so that no later thread can be taken for this one.
        let thread: Thread
        /// Whether the caller's code runs, which may take any time, rather than a commit.
        var isWithCaller: Bool
    }

    /// What one call of ``claim(_:in:isWithCaller:)`` took, to be released by ``end(_:)``.
    struct Claim {
        fileprivate let number: UInt64
        fileprivate var keys: [Claimed] = []
    }

    /// Waits until no other thread changes the keys, or has done so for too long.
    ///
    /// - Parameters:
    ///   - keys: Claimed in the order of their bytes, so that two transactions do not wait for each other.
    ///   - place: The store they are in.
    ///   - isWithCaller: Whether the caller's code runs next.
    /// - Returns: What was taken, to be released by ``end(_:)``.
    func claim(_ keys: [StoreKey], in place: Place, isWithCaller: Bool) -> Claim {
        let thread = Thread.current
        condition.lock()
        defer { condition.unlock() }
        lastNumber += 1
        var claim = Claim(number: lastNumber)
        for key in keys.count > 1 ? keys.sorted() : keys {
            let key = Claimed(place: place, key: key)
            guard waitForTurn(of: thread, at: key) else { continue }
            holders[key] = Holder(number: claim.number, thread: thread, isWithCaller: isWithCaller)
            claim.keys.append(key)
        }
        if !claim.keys.isEmpty { Detours.begin() }
        return claim
    }

    /// Waits until a key is free or may be taken over.
    ///
    /// - Returns: `false` if the thread holds the key itself.
    private func waitForTurn(of thread: Thread, at key: Claimed) -> Bool {
        var number: UInt64 = 0
        var turns = 0
        while let holder = holders[key] {
            if holder.thread === thread { return false }
            if holder.number != number { (number, turns) = (holder.number, 0) }
            guard turns < (holder.isWithCaller ? Self.turnsForCaller : Self.turnsForCommit) else { return true }
            waiting += 1
            if !wait(condition) { turns += 1 }
            waiting -= 1
        }
        return true
    }

    /// Notes whether the caller's code runs next or a commit does.
    func note(_ claim: Claim, isWithCaller: Bool) {
        guard !claim.keys.isEmpty else { return }
        condition.lock()
        defer { condition.unlock() }
        for key in claim.keys where holders[key]?.number == claim.number { holders[key]?.isWithCaller = isWithCaller }
    }

    /// Releases keys, from any thread; keys that another access took over stay with that access.
    func end(_ claim: Claim) {
        guard !claim.keys.isEmpty else { return }
        condition.lock()
        for key in claim.keys where holders[key]?.number == claim.number { holders[key] = nil }
        if waiting > 0 { condition.broadcast() }
        condition.unlock()
        Detours.end()
    }
}
