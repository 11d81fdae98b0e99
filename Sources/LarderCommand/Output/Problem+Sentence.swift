import LarderCore

extension StoreVerification.Problem {
    /// The place, as far as it is known, and the message.
    var sentence: String {
        let place = [key.map { "key \($0.debugDescription)" }, offset.map { "byte \($0)" }].compactMap { $0 }
        return (place.isEmpty ? "" : place.joined(separator: ", ") + ": ") + message
    }
}
