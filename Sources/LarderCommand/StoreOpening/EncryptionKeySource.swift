import Foundation

/// Where the key of an encrypted store is read from.
enum EncryptionKeySource: Sendable, Hashable {
    case file(String)
    case variable(String)

    /// The key: 64 hexadecimal digits, base64 of at least 16 bytes, or, in a file alone, 32 bytes as they are.
    ///
    /// White space around a text counts for nothing, wherever it stands. What could be meant as two keys is refused: 32 bytes that are a
    /// text as well, and 32 characters that would become such bytes without the line break behind them.
    ///
    /// - Throws: ``CommandFailure`` that names the place and never the key.
    func bytes(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> [UInt8] {
        let (content, place): (Data, String)
        switch self {
        case .file(let path):
            place = "the file \(path)"
            do {
                content = try Data(contentsOf: URL(filePath: path))
            } catch {
                throw CommandFailure.usage("The key can't be read from \(place): \(error.localizedDescription)")
            }
        case .variable(let name):
            place = "the environment variable \(name)"
            guard let text = environment[name] else { throw CommandFailure.usage("There is no key in \(place).") }
            content = Data(text.utf8)
        }
        let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if text.hasPrefix(Self.base64Mark), let key = Self.base64(text.dropFirst(Self.base64Mark.count)) { return key }
        let fromText = Self.key(text)
        if fromText != nil, content.count == Self.length || text.utf8.count == Self.length {
            throw CommandFailure.usage(
                "What is in \(place) could be two keys, for 32 characters may be the bytes of a key and its text: write the 32 bytes as 64 hexadecimal digits, or \(Self.base64Mark) in front of what is base64."
            )
        }
        if let fromText { return fromText }
        if case .file = self, content.count == Self.length { return [UInt8](content) }
        throw CommandFailure.usage(
            "What is in \(place) is no key: expected 64 hexadecimal digits, base64 of at least 16 bytes, or, in a file, 32 bytes as they are."
        )
    }

    /// In bytes, of a key as it is.
    private static let length = 32
    /// Stands before what can be meant as nothing else.
    private static let base64Mark = "base64:"

    private static func key(_ text: String) -> [UInt8]? {
        if text.utf8.count == 64, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            return stride(from: 0, to: 64, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
        }
        return base64(text)
    }

    private static func base64(_ text: some StringProtocol) -> [UInt8]? {
        Data(base64Encoded: String(text)).flatMap { $0.count >= 16 ? [UInt8]($0) : nil }
    }
}
