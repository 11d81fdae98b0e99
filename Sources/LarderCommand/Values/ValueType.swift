/// The types a value can be put as and read as.
enum ValueType: String, CaseIterable {
    case bool
    case int
    case uint
    case float
    case double
    case string
    case url
    case date
    case data
    case array
    case dictionary
    /// Whatever a JSON text holds.
    case json
}
