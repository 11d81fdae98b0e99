import Foundation
import LarderCore

/// Which keys are being changed by a thread of this process, so that changes of one key come one after another.
///
/// Not a lock with an owner thread: a change in place may be suspended (`await Defaults.profile.load()`) and end on another
/// thread. So whoever waits for a claim waits a second at most, then goes ahead without it and says so; and a thread that claims
/// a key again does not wait for itself.
final class KeyClaims: @unchecked Sendable {
    // Sendable because `holders` and `waiting` are reached while `condition` is locked, and nowhere else.
    private let condition = NSCondition()
    private var holders: [Claimed: Holder] = [:]
    private var waiting = 0

    /// One table for the process, because several adapters may stand on one store.
    static let shared = KeyClaims()

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
        let thread: ObjectIdentifier
        /// Whether somebody went ahead without a claim of their own: the same thread, or one that had waited long enough.
        var isPassed = false
    }

    /// What one call of ``claim(_:in:patience:)`` took, and has to give back.
    struct Claim {
        fileprivate var keys: [Claimed]
        /// Whether another change took longer than the wait.
        let isLate: Bool
    }

    /// Waits until nobody else changes the keys.
    ///
    /// - Parameters:
    ///   - keys: Claimed in the order of their bytes, so that two transactions do not wait for each other.
    ///   - place: The store they are in.
    ///   - patience: How long to wait, in seconds.
    /// - Returns: What was taken, to be given back by ``end(_:)``.
    func claim(_ keys: [StoreKey], in place: Place, patience: TimeInterval = 1) -> Claim {
        let thread = ObjectIdentifier(Thread.current)
        var claim: [Claimed] = []
        var isLate = false
        condition.lock()
        defer { condition.unlock() }
        for key in keys.count > 1 ? keys.sorted() : keys {
            let key = Claimed(place: place, key: key)
            var isFree = true
            while isFree, let holder = holders[key]?.thread {
                waiting += 1
                isFree = holder != thread && condition.wait(until: Date(timeIntervalSinceNow: patience))
                waiting -= 1
                if !isFree, holder != thread { isLate = true }
            }
            guard isFree else {
                holders[key]?.isPassed = true
                continue
            }
            holders[key] = Holder(thread: thread)
            claim.append(key)
        }
        if !claim.isEmpty { Detours.begin() }
        return Claim(keys: claim, isLate: isLate)
    }

    /// Whether nobody went past the claim since it was taken; `false` for one that took nothing.
    func isUndisturbed(_ claim: Claim) -> Bool {
        guard !claim.keys.isEmpty else { return false }
        condition.lock()
        defer { condition.unlock() }
        return claim.keys.allSatisfy { holders[$0]?.isPassed == false }
    }

    /// Gives keys back, from any thread.
    func end(_ claim: Claim) {
        guard !claim.keys.isEmpty else { return }
        condition.lock()
        for key in claim.keys { holders[key] = nil }
        if waiting > 0 { condition.broadcast() }
        condition.unlock()
        Detours.end()
    }
}
