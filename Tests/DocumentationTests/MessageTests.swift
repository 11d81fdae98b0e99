import Foundation
import Testing

/// Checks that each message in the sources says what to do, unless MessagesWithoutRemedy.txt lists it with a reason.
@Suite struct MessageTests {
    @Test func everyErrorMessageSuggestsAction() throws {
        let exceptions = try Self.exceptions()
        let messages = try Self.messages()
        #expect(messages.count > 300)
        for message in messages where !message.hasRemedy && !exceptions.contains(where: message.matches) {
            Issue.record("\(message.path): \(message.text) Add a sentence that begins with what to do.")
        }
    }

    @Test func everyMessageExceptionMatchesMessage() throws {
        let messages = try Self.messages().filter { !$0.hasRemedy }
        for exception in try Self.exceptions() where !messages.contains(where: { $0.matches(exception) }) {
            Issue.record("\(exception) matches no message without a remedy. Remove it.")
        }
    }

    private struct Message {
        let path: String
        let text: String

        /// Whether a clause of the message begins with an imperative, or the message interpolates advice.
        var hasRemedy: Bool {
            text.contains(/\\\((advice|wayOut|remedy)\)/)
                || text.matches(of: /(?:^|[.:;,] )(?:(?:and|or|then|otherwise) )?(?<word>[A-Za-z]+)\b/)
                    .contains { MessageTests.imperatives.contains($0.word.lowercased()) }
        }

        /// Returns whether an exception applies, which is the beginning of a path, or a path and the beginning of a message.
        func matches(_ exception: String) -> Bool { "\(path): \(text)".hasPrefix(exception) }
    }

    private static let imperatives: Set<String> = [
        "add", "assign", "build", "call", "change", "check", "choose", "close", "compact", "configure", "conform",
        "convert", "copy",
        "correct", "create", "decode", "declare", "delete", "do", "end", "expect", "export", "fetch", "find", "fix",
        "follow", "free",
        "give", "grant", "ignore", "increase", "insert", "inspect", "keep", "leave", "let", "list", "load", "look",
        "make", "map", "migrate",
        "mount", "move", "name",
        "open", "override", "pass", "please", "put", "read", "recover", "reduce", "remove", "rename", "repair",
        "replace",
        "report", "resolve", "restore",
        "rethrow", "return", "run", "save", "search", "see", "send", "separate", "set", "settle", "show", "specify",
        "split", "start",
        "store",
        "try", "unarchive",
        "update", "upgrade", "use", "wait", "write",
    ]

    /// Returns the string literals that are whole sentences, as Scripts/draw.sh finds them, with those that "+" joins to them.
    private static func messages() throws -> [Message] {
        var messages: [Message] = []
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        for case let file as URL in files where file.pathExtension == "swift" {
            let path = String(file.path(percentEncoded: false).dropFirst(sources.path(percentEncoded: false).count))
            var text = ""
            func end() {
                if text.hasSuffix(".") { messages.append(Message(path: path, text: text)) }
                text = ""
            }
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let code = line.trimmingPrefix(while: \.isWhitespace)
                guard !code.hasPrefix("//"), let literal = code.firstMatch(of: /"(.*)"/)?.1 else { continue }
                if code.hasPrefix("+ \"") {
                    if !text.isEmpty { text += literal }
                    continue
                }
                end()
                if literal.wholeMatch(of: /[A-Z\\].* .*[.: ]/) != nil { text = String(literal) }
            }
            end()
        }
        return messages
    }

    /// Returns the lines of the list, without blank lines and without the reasons, which begin with "#".
    private static func exceptions() throws -> [String] {
        try String(
            contentsOf: URL(filePath: #filePath).appending(path: "../MessagesWithoutRemedy.txt").standardized,
            encoding: .utf8
        )
        .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }

    private static let sources = URL(filePath: #filePath).appending(path: "../../../Sources/").standardized
}
