/// An article that a reader can annotate with a note.
public struct Article: Codable, Sendable, Equatable {
    /// The identifier under which the article is stored.
    public var id: String
    /// The headline of the article.
    public var title: String
    /// The body text of the article.
    public var text: String
    /// The reader's note, which is empty if there is none.
    public var note: String

    /// Creates an article, which has no note by default.
    public init(id: String, title: String, text: String, note: String = "") {
        self.id = id
        self.title = title
        self.text = text
        self.note = note
    }
}
