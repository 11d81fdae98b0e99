/// Returns a number followed by a noun in the matching form, such as "1 key" or "2 keys".
///
/// - Parameters:
///   - number: The number that precedes the noun.
///   - noun: The singular form, which may be followed by a verb that agrees, such as "entry was".
///   - plural: The plural form, or `nil` to append an "s" to the singular form.
/// - Returns: The number, a space and the noun.
package func counted(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(number) \(number == 1 ? noun : plural ?? noun + "s")"
}
