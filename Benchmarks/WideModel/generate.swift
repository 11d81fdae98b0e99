// Generates the source code of a model from a description of its shape. The same description results in the same code.
import Foundation

var shape: [String: Int] = [:]
var types: [String] = []
while let line = readLine() {
    let words = line.split(separator: " ")
    guard words.count == 2, let number = Int(words[1]) else { continue }
    let name = String(words[0])
    shape[name] = number
    if name.first?.isUppercase == true || name.hasPrefix("[") { types += Array(repeating: name, count: number) }
}

func figure(_ name: String) -> Int { shape[name] ?? 0 }

/// A random number generator with a fixed seed, so that the generated code is the same in every run.
struct Generator: RandomNumberGenerator {
    var state: UInt64 = 1
    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}

struct Property {
    var line: String
    /// The statement that sets the property, without the name of the object, or `nil` if no value is needed.
    var setting: String?
}

var generator = Generator()
types.shuffle(using: &generator)
let names = (1...figure("entities")).map { "Wide" + ($0 < 10 ? "0" : "") + "\($0)" }
var properties: [[Property]] = names.map { _ in [] }
let defaults = [
    "String": "\"\"", "Int64": "0", "Bool": "false", "Date": "Date(timeIntervalSinceReferenceDate: 0)",
    "[String]": "[]",
    "Decimal": "0", "Double": "0", "Data": "Data()", "Int32": "0", "URL": "URL(fileURLWithPath: \"/\")",
]
var (optionals, required) = (figure("optional"), figure("required"))
for (place, type) in types.enumerated() {
    let owner = place < figure("largest") ? 0 : 1 + (place - figure("largest")) % (names.count - 1)
    let name = "attribute\(properties[owner].count + 1)"
    if optionals > 0, place % 2 == 0 || place >= types.count - optionals {
        optionals -= 1
        properties[owner].append(Property(line: "var \(name): \(type)?"))
    } else if required > 0, type == "String" || type == "Int64" {
        required -= 1
        properties[owner].append(
            Property(line: "var \(name): \(type)", setting: "\(name) = \(type == "String" ? "\"text\"" : "7")")
        )
    } else {
        properties[owner].append(Property(line: "var \(name): \(type) = \(defaults[type] ?? "")"))
    }
}

var (ordered, cascades, denials) = (figure("ordered"), figure("cascade"), figure("deny"))
var links: [String] = []
let pairs =
    Array(repeating: (true, false), count: figure("oneToMany"))
    + Array(repeating: (false, false), count: figure("oneToOne"))
    + Array(repeating: (true, true), count: figure("manyToMany"))
for (place, (toMany, fromMany)) in pairs.enumerated() {
    let owner = place * 7 % names.count
    let other = (owner + 1 + place % 13) % names.count
    var said: [String] = []
    if !fromMany, cascades > 0 {
        cascades -= 1
        said.append("deleteRule: .cascade")
    } else if denials > 0 {
        denials -= 1
        said.append("deleteRule: .deny")
    }
    said.append("inverse: \\\(names[other]).back\(place)")
    if toMany, ordered > 0 {
        ordered -= 1
        said.append("ordered: true")
    }
    let type = toMany ? "[\(names[other])]" : "\(names[other])?"
    properties[owner].append(Property(line: "@Relationship(\(said.joined(separator: ", "))) var link\(place): \(type)"))
    let back = fromMany ? "[\(names[owner])]" : "\(names[owner])?"
    properties[other].append(Property(line: "@Relationship var back\(place): \(back)"))
    links.append("object\(owner).link\(place) = \(toMany ? "[object\(other)]" : "object\(other)")")
}

print("#if Objects")
print("import Foundation")
print("import LarderObjects")
print("")
print("// Benchmarks/WideModel/generate.swift generated this file from the description beside it.")
for (name, properties) in zip(names, properties) {
    print("")
    print("@Entity final class \(name) {")
    for property in properties { print("    \(property.line)") }
    print("}")
}
print("")
print("enum WideModel {")
print("    static let model = ObjectModel([")
for name in names { print("        \(name).self,") }
print("    ])")
print("")
print("    /// Inserts one object of each entity and sets all relationships.")
print("    static func fill(_ storage: any WritableStorageType) throws {")
for (place, name) in names.enumerated() {
    let isUsed =
        properties[place].contains { $0.setting != nil }
        || links.contains {
            $0.hasPrefix("object\(place).") || $0.contains("object\(place)]") || $0.hasSuffix("= object\(place)")
        }
    print("        \(isUsed ? "let object\(place)" : "_") = try storage.insertNewObject(ofType: \(name).self)")
    for property in properties[place] {
        if let setting = property.setting { print("        object\(place).\(setting)") }
    }
}
for link in links { print("        \(link)") }
print("    }")
print("}")
print("#endif")
