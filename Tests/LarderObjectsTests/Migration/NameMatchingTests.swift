#if Objects
@testable import LarderObjects
import LarderTesting
import Testing

/// Tests of matching the names in a file with the names in a model.
@Suite struct NameMatchingTests {
    private static func history(_ names: String) -> NameHistory {
        let names = names.split(separator: " ").map(String.init)
        return NameHistory(former: names.dropLast(), name: names.last ?? "")
    }

    /// Returns the current name of the stored predecessor of each name in the model, or `nil` if the name is new.
    private static func matches(_ stored: [String], _ model: [String], equalNamesFirst: Bool = false) -> [String?] {
        let (stored, model) = (stored.map(history), model.map(history))
        let matching = NameMatching(stored: stored, model: model, equalNamesFirst: equalNamesFirst)
        #expect(matching.ambiguities.isEmpty)
        return model.indices.map { matching.storedIndex(of: $0).map { stored[$0].name } }
    }

    @Test func swappedNamesMatchEachOther() {
        #expect(Self.matches(["a", "b"], ["b a", "a b"]) == ["b", "a"])
    }

    @Test func recordedNameSwapIsNotRepeated() {
        #expect(Self.matches(["b a", "a b"], ["b a", "a b"]) == ["a", "b"])
        #expect(Self.matches(["b a", "a b"], ["a", "b"]) == ["a", "b"])
    }

    @Test func secondNameSwapRestoresOriginalNames() {
        #expect(Self.matches(["b a", "a b"], ["a b a", "b a b"]) == ["b", "a"])
    }

    @Test func reusedNameDoesNotMatchStoredName() {
        #expect(Self.matches(["a"], ["a c", "a"]) == ["a", nil])
    }

    @Test func namesWithoutSharedHistoryMatchByEquality() {
        #expect(Self.matches(["a b"], ["x b"]) == ["b"])
        #expect(Self.matches(["a", "b"], ["c", "b"]) == [nil, "b"])
        let matching = NameMatching(
            stored: ["a", "b"].map(Self.history),
            model: ["b"].map(Self.history),
            equalNamesFirst: false
        )
        #expect(matching.unmatchedStored == [0])
    }

    @Test func equalNamesTakePrecedenceForFormat1() {
        #expect(Self.matches(["a", "b"], ["b a", "a b"], equalNamesFirst: true) == ["a", "b"])
        #expect(Self.matches(["a"], ["a c"], equalNamesFirst: true) == ["a"])
    }

    @Test func twoRenamesOfSameNameAreAmbiguous() {
        let matching = NameMatching(
            stored: ["a"].map(Self.history),
            model: ["a b", "a c"].map(Self.history),
            equalNamesFirst: false
        )
        #expect(matching.ambiguities.map(\.stored) == [0])
        #expect(matching.ambiguities.map(\.models) == [[0, 1]])
    }

    /// A version of a model with random properties, each of which has an identity and the names that it has had so far.
    private struct Version {
        var properties: [(identity: Int, names: [String])]

        mutating func change(_ random: inout SeededGenerator, removing: Bool) {
            let free: [String] = ["a", "b", "c", "d", "e", "f"].filter { name in
                !properties.contains { $0.names.last == name }
            }
            if removing, properties.count > 1, Int.random(in: 0..<3, using: &random) == 0 {
                properties.remove(at: Int.random(in: properties.indices, using: &random))
            }
            switch Int.random(in: 0..<4, using: &random) {
            case 0 where properties.count > 1:
                let places = properties.indices.shuffled(using: &random).prefix(2).map { $0 }
                let names = places.map { properties[$0].names[properties[$0].names.count - 1] }
                properties[places[0]].names.append(names[1])
                properties[places[1]].names.append(names[0])
            case 1:
                guard let name = free.randomElement(using: &random) else { return }
                let place = Int.random(in: properties.indices, using: &random)
                let freed = properties[place].names.last
                properties[place].names.append(name)
                if Bool.random(using: &random), let freed { add(freed) }
            case 2:
                if let name = free.randomElement(using: &random) { add(name) }
            default: break
            }
        }

        private mutating func add(_ name: String) {
            properties.append((identity: (properties.map(\.identity).max() ?? 0) + 1_000, names: [name]))
        }

        var histories: [NameHistory] {
            properties.map { NameHistory(former: $0.names.dropLast(), name: $0.names.last ?? "") }
        }
    }

    @Test(arguments: [false, true]) func namesOfRandomConsecutiveVersionsMatch(removing: Bool) {
        for seed in 0..<UInt64(10_000) {
            var random = SeededGenerator(seed: seed)
            var earlier = Version(properties: [(1, ["a"]), (2, ["b"]), (3, ["c"])])
            for _ in 0..<3 {
                var later = earlier
                later.change(&random, removing: removing)
                let (stored, model) = (earlier.histories, later.histories)
                let matching = NameMatching(stored: stored, model: model, equalNamesFirst: false)
                let found = model.indices.map { matching.storedIndex(of: $0) }
                let used = found.compactMap(\.self)
                #expect(Set(used).count == used.count, "seed \(seed)")
                #expect(Set(used).union(matching.unmatchedStored).count == stored.count, "seed \(seed)")
                if !removing {
                    let expected = later.properties.map { property in
                        earlier.properties.firstIndex { $0.identity == property.identity }
                    }
                    #expect(found == expected && matching.ambiguities.isEmpty, "seed \(seed)")
                    if found != expected { return }
                }
                earlier = later
            }
        }
    }
}
#endif
