#if Inspector
/// A namespace for the encoding of bytes as base64 (RFC 4648, section 4).
enum Base64 {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: (bytes.count + 2) / 3 * 4) { buffer in
            var end = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                let group = bytes[start..<min(start + 3, bytes.count)]
                var word: UInt32 = 0
                for byte in group { word = word << 8 | UInt32(byte) }
                word <<= UInt32(8 * (3 - group.count))
                for place in 0..<4 {
                    let digit = digits[Int(word >> UInt32(18 - 6 * place)) & 63]
                    buffer[end] = place <= group.count ? digit : UInt8(ascii: "=")
                    end += 1
                }
            }
            return end
        }
    }
}
#endif
