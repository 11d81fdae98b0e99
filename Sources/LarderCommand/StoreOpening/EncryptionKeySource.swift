import Foundation

/// Where the key of an encrypted store is read from.
enum EncryptionKeySource: Sendable, Hashable {
    case file(String)
    case variable(String)

    /// The key: 32 bytes as they are, 64 hexadecimal digits, or base64 of at least 16 bytes.
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
        guard let key = Self.key(content) else {
            throw CommandFailure.usage(
                "What is in \(place) is no key: expected 32 bytes, 64 hexadecimal digits, or base64 of at least 16 bytes."
            )
        }
        return key
    }

    private static func key(_ content: Data) -> [UInt8]? {
        if content.count == 32 { return [UInt8](content) }
        let text = String(decoding: content, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        if text.utf8.count == 64, text.allSatisfy({ $0.isASCII && $0.isHexDigit }) {
            return stride(from: 0, to: 64, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
        }
        return Data(base64Encoded: text).flatMap { $0.count >= 16 ? [UInt8]($0) : nil }
    }
}
