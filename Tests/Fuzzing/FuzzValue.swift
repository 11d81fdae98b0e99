import LarderCore

/// The entry point of `make fuzz` for values: a value decoded from arbitrary bytes must be encoded and decoded to an equal value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzValue(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    guard let value = try? StoredValue(decoding: bytes) else { return 0 }
    do {
        let encoded = try value.encoded()
        guard encoded.elementsEqual(bytes) else { fatalError("\(value) has two encodings.") }
        guard try StoredValue(decoding: encoded) == value else { fatalError("\(value) is not itself.") }
    } catch {
        fatalError("\(value) can be decoded and not encoded: \(error)")
    }
    return 0
}
