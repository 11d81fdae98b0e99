#if Objects
/// A mapping between the names in a stored schema and the names in a model.
///
/// Documentation/Decisions/0060-models-that-change.md contains the rules. Names are compared case-sensitively.
struct NameMatching {
    /// A stored name that matches several names in the model equally well.
    struct Ambiguity: Hashable {
        let stored: Int
        /// The indexes of the matching names in the model, beginning with the chosen name.
        let models: [Int]
    }

    private struct Candidate {
        let stored: Int
        let model: Int
        let weight: Int
        let length: Int
    }

    private var storedIndexes: [Int?]
    private var isTaken: [Bool]
    private(set) var ambiguities: [Ambiguity] = []

    /// Matches the names in a stored schema with the names in a model.
    ///
    /// - Parameters:
    ///   - stored: The name histories in the stored schema.
    ///   - model: The name histories in the model.
    ///   - equalNamesFirst: Whether equal current names take precedence over former names.
    init(stored: [NameHistory], model: [NameHistory], equalNamesFirst: Bool) {
        storedIndexes = Array(repeating: nil, count: model.count)
        isTaken = Array(repeating: false, count: stored.count)
        if equalNamesFirst { matchEqualNames(stored, model) }
        matchHistories(stored, model)
        matchEqualNames(stored, model)
    }

    /// Returns the index of the stored name that matches the name at index `model` in the model, or `nil` if the name is new.
    func storedIndex(of model: Int) -> Int? { storedIndexes[model] }

    /// The indexes of the stored names that match no name in the model.
    var unmatchedStored: [Int] { isTaken.indices.filter { !isTaken[$0] } }

    private mutating func match(_ stored: Int, _ model: Int) {
        storedIndexes[model] = stored
        isTaken[stored] = true
    }

    private mutating func matchEqualNames(_ stored: [NameHistory], _ model: [NameHistory]) {
        let places = Dictionary(stored.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        for (index, history) in model.enumerated() where storedIndexes[index] == nil {
            if let place = places[history.name], !isTaken[place] { match(place, index) }
        }
    }

    private mutating func matchHistories(_ stored: [NameHistory], _ model: [NameHistory]) {
        var candidates: [Candidate] = []
        for (place, history) in stored.enumerated() where !isTaken[place] {
            for (index, continued) in model.enumerated() where storedIndexes[index] == nil {
                let weight = history.overlap(with: continued)
                guard weight > 0 else { continue }
                candidates.append(
                    Candidate(stored: place, model: index, weight: weight, length: continued.names.count)
                )
            }
        }
        candidates.sort { ($1.weight, $1.length, $0.stored, $0.model) < ($0.weight, $0.length, $1.stored, $1.model) }
        for candidate in candidates where !isTaken[candidate.stored] && storedIndexes[candidate.model] == nil {
            if candidate.length > candidate.weight {
                let rivals = candidates.filter { other in
                    other.stored == candidate.stored && other.weight == candidate.weight
                        && other.model != candidate.model && other.length > other.weight
                        && storedIndexes[other.model] == nil
                }
                if !rivals.isEmpty {
                    ambiguities.append(
                        Ambiguity(stored: candidate.stored, models: [candidate.model] + rivals.map(\.model))
                    )
                }
            }
            match(candidate.stored, candidate.model)
        }
    }
}
#endif
