#if Objects
/// A position in the history of one database file.
///
/// Store a token together with the data that was read up to it. Tokens of a file that has been restored since are no longer valid.
public struct HistoryToken: Sendable, Hashable, Codable {
    /// The number of the file's timeline, which changes when the file is restored.
    let timeline: Int64
    /// The id of a save's last row in `larder_save`.
    let row: Int64
}
#endif
