import Foundation

/// The file or environment variable that holds the encryption key of a store.
enum EncryptionKeySource: Sendable, Hashable {
    case file(String)
    case variable(String)

    /// Reads and decodes the encryption key.
    ///
    /// The key may be written as 64 hexadecimal digits or as the base64 form of at least 16 bytes. A file may also contain 32 raw bytes.
    /// White space around text is ignored. Ambiguous keys are rejected, such as 32 raw bytes that are also valid base64, or 32 base64
    /// characters followed by a line break.
    ///
    /// - Returns: The bytes of the key.
    /// - Throws: ``CommandFailure``, whose message names the file or the variable but never contains the key.
    func bytes(environment: [String: String] = ProcessInfo.processInfo.environment) throws -> [UInt8] {
        let (content, place): (Data, String)
        switch self {
        case .file(let path):
            place = "the file \(path.debugDescription)"
            do {
                content = try Data(contentsOf: URL(filePath: path))
            } catch {
                throw CommandFailure.usage(
                    "The key can't be read from \(place) (\(error.localizedDescription)). Check the path and its permissions."
                )
            }
        case .variable(let name):
            place = "the environment variable \(name.debugDescription)"
            guard let text = environment[name] else {
                throw CommandFailure.usage("There is no key in \(place). Set the variable to the store's key.")
            }
            content = Data(text.utf8)
        }
        let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if text.hasPrefix(Self.base64Mark), let key = Self.base64(text.dropFirst(Self.base64Mark.count)) { return key }
        let fromText = Self.key(text)
        if fromText != nil, content.count == Self.length || text.utf8.count == Self.length {
            throw CommandFailure.usage(
                "The key in \(place) is ambiguous, because its content could be 32 raw bytes or text. Write the key as 64 hexadecimal digits, or put \(Self.base64Mark) before its base64 text."
            )
        }
        if let fromText { return fromText }
        if case .file = self, content.count == Self.length { return [UInt8](content) }
        throw CommandFailure.usage(
            "The content of \(place) is not a key. Use 64 hexadecimal digits, base64 of at least 16 bytes, or, in a file, 32 raw bytes."
        )
    }

    /// The length of a raw key in bytes.
    private static let length = 32
    /// The prefix that marks a key as base64, so that it isn't mistaken for raw bytes.
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
