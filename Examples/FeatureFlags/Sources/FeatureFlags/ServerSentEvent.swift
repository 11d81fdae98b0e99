import Foundation

/// An event for a browser's `EventSource`.
package struct ServerSentEvent: Sendable {
    /// The lines to send.
    package let text: String

    /// Creates an event whose data is JSON, which has no line breaks.
    package init(_ name: String, _ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = String(decoding: try encoder.encode(value), as: UTF8.self)
        text = "event: \(name)\ndata: \(json)\n\n"
    }
}
