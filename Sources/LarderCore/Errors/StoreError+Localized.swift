#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension StoreError: LocalizedError {
    /// The message.
    public var errorDescription: String? { description }
}
