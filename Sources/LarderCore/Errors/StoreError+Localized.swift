#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension StoreError: LocalizedError {
    /// The same message as `description`.
    public var errorDescription: String? { description }
}
