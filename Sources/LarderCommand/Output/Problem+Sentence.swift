import LarderCore

extension StoreVerification.Problem {
    /// The problem's message, prefixed with the key and the byte offset if they are known.
    var sentence: String {
        let place = [key.map { "key \($0.debugDescription)" }, offset.map { "byte \($0)" }].compactMap { $0 }
        return (place.isEmpty ? "" : place.joined(separator: ", ") + ": ") + message
    }
}
