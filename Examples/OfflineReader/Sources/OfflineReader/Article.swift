/// What is read.
public struct Article: Codable, Sendable, Equatable {
    /// What it is called by.
    public var id: String
    /// The headline.
    public var title: String
    /// The text.
    public var text: String
    /// What the reader wrote in the margin.
    public var note: String

    /// An article.
    public init(id: String, title: String, text: String, note: String = "") {
        self.id = id
        self.title = title
        self.text = text
        self.note = note
    }
}
