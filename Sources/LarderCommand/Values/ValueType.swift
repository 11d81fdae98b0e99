/// The value types that can be specified on the command line.
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
    /// Any JSON value.
    case json
}
