import CLarderPlatform

/// What lies close to the processor.
package enum ProcessorCache {
    /// Has the memory at both addresses fetched, to be written, while the caller goes on: what would be waited for there is waited for
    /// less.
    ///
    /// A hint that can't fail, whatever the addresses.
    package static func prepare(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer) {
        larder_prefetch(first)
        larder_prefetch(second)
    }
}
