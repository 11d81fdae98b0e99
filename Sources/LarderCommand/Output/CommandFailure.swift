import LarderCore
import LarderFiles

/// A sentence for standard error and the status the process ends with.
struct CommandFailure: Error {
    let status: Int32
    let message: String

    /// There is no such value, or it does not convert.
    static func notFound(_ message: String) -> CommandFailure { CommandFailure(status: 1, message: message) }

    /// The command line can't be carried out as it stands.
    static func usage(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }

    /// The store is damaged, or could not be read or written.
    static func storage(_ message: String) -> CommandFailure { CommandFailure(status: 2, message: message) }

    /// What any error of Larder means for the user of a command.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as CoreError.NotFound: self = .notFound(error.description)
        case let error as StoreError: self = .storage(Self.sentence(error))
        default: self = .storage(String(describing: error))
        }
    }

    private init(status: Int32, message: String) {
        self.status = status
        self.message = message
    }

    /// The message, with the place if it does not say it already.
    private static func sentence(_ error: StoreError) -> String {
        var sentence = error.description
        if let path = error.path, !sentence.contains(path) { sentence = "\(path): \(sentence)" }
        // What a damaged file needs its own sentence says; what is damaged in a seal, no repair of the file mends.
        if error.code == .damaged, let offset = error.offset, !sentence.contains(String(offset)) {
            sentence += " (at byte \(offset))"
        }
        return sentence
    }
}
