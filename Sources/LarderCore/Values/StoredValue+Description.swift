extension StoredValue: CustomStringConvertible {
    /// placeholder, replaced by the values helper
    public var description: String { "\(kind)" }
}
