#if Objects
import LarderTestSupport

/// The options of `save PATH`, each of which is written `NAME=VALUE`.
struct SavingOptions {
    /// The name that the entries of this process have.
    let writer: String
    /// The number of the last save that has returned.
    let acknowledged: SharedNumber
    /// The number of saves, or `nil` to save until the process is killed.
    let times: Int64?
    /// The number of entries, and of notes, in each save.
    let objects: Int
    /// The number of saves whose objects are kept, or `nil` to keep all objects.
    let kept: Int64?
    /// The number of the last save that another process has merged.
    ///
    /// If the option is given, each save waits for the merge of the save before.
    let merged: SharedNumber?

    init(_ arguments: [String]) throws {
        var options: [Substring: Substring] = [:]
        for argument in arguments {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { throw Misuse("\(argument) is not written NAME=VALUE.") }
            options[parts[0]] = parts[1]
        }
        func number(_ name: Substring) throws -> Int64? {
            try options[name].map { text in
                guard let number = Int64(text) else { throw Misuse("The option \(name) is not a number: \(text)") }
                return number
            }
        }
        guard let writer = options["writer"], let acknowledged = options["acknowledged"] else {
            throw Misuse("The command save needs the options writer and acknowledged.")
        }
        self.writer = String(writer)
        self.acknowledged = try SharedNumber(at: String(acknowledged))
        times = try number("times")
        objects = try Int(number("objects") ?? 1)
        kept = try number("kept")
        merged = try options["merged"].map { try SharedNumber(at: String($0)) }
    }
}
#endif
