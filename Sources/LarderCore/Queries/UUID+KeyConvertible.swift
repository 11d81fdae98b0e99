#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID: KeyConvertible {
    /// The UUID's `uuidString`, which consists of uppercase hexadecimal digits and hyphens.
    public var storageKey: String { uuidString }
}
