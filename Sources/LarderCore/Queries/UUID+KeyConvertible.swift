#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID: KeyConvertible {
    /// Upper-case hexadecimal digits in five groups, as `uuidString` writes them.
    public var storageKey: String { uuidString }
}
