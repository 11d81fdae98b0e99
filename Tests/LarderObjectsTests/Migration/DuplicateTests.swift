#if Objects
import Foundation
import LarderCore
import LarderObjects
import Testing

/// Tests of migrations that add unique constraints to entities whose objects share values.
@Suite struct DuplicateTests {
    enum Old {
        @Entity final class Person {
            var name: String?
            var city: String = ""
            var rank: Int = 0
            @Relationship(deleteRule: .cascade, inverse: \Phone.owner) var phones: [Phone]
            @Relationship(inverse: \Team.members, ordered: true) var teams: [Team]
            @Relationship var boss: Person?
            @Relationship(inverse: \Person.boss) var reports: [Person]
        }
        @Entity final class Phone {
            var number: String = ""
            @Relationship var owner: Person?
        }
        @Entity final class Team {
            var name = ""
            @Relationship var members: [Person]
        }
        static let model = ObjectModel([Person.self, Phone.self, Team.self])
        /// Inserts eight persons with the ids 2 to 9.
        ///
        /// Three pairs of them share a name, and two have none.
        static func fill(_ storage: any WritableStorageType) throws {
            let team = try storage.insertNewObject(ofType: Team.self)
            var persons: [Person] = []
            for index in 0..<8 {
                let person = try storage.insertNewObject(ofType: Person.self)
                person.name = index < 6 ? "name \(index % 3)" : nil
                person.city = "city \(index / 4)"
                person.rank = index
                person.boss = persons.first
                persons.append(person)
            }
            team.members = persons
            for person in persons { try storage.insertNewObject(ofType: Phone.self).owner = person }
        }
    }
    enum Newest {
        @Entity final class Person {
            @Attribute(.unique(keeping: .newest)) var name: String?
            var city: String = ""
            var rank: Int = 0
            @Relationship(deleteRule: .cascade, inverse: \Phone.owner) var phones: [Phone]
            @Relationship(inverse: \Team.members, ordered: true) var teams: [Team]
            @Relationship var boss: Person?
            @Relationship(inverse: \Person.boss) var reports: [Person]
        }
        @Entity final class Phone {
            var number: String = ""
            @Relationship var owner: Person?
        }
        @Entity final class Team {
            var name = ""
            @Relationship var members: [Person]
        }
    }
    enum Oldest {
        @Entity(unique: [["name", "city"]], keeping: .oldest) final class Person {
            @Attribute(.unique(keeping: .oldest)) var name: String?
            var city: String = ""
            var rank: String = ""
            @Relationship(deleteRule: .cascade, inverse: \Phone.owner) var phones: [Phone]
            @Relationship(inverse: \Team.members, ordered: true) var teams: [Team]
            @Relationship var boss: Person?
            @Relationship(inverse: \Person.boss) var reports: [Person]
        }
        @Entity final class Phone {
            var number: String = ""
            @Relationship var owner: Person?
        }
        @Entity final class Team {
            var name = ""
            @Relationship var members: [Person]
        }
    }
    enum Denying {
        @Entity final class Person {
            @Attribute(.unique(keeping: .newest)) var name: String?
            var city: String = ""
            var rank: Int = 0
            @Relationship(deleteRule: .deny, inverse: \Phone.owner) var phones: [Phone]
            @Relationship(inverse: \Team.members, ordered: true) var teams: [Team]
            @Relationship var boss: Person?
            @Relationship(inverse: \Person.boss) var reports: [Person]
        }
        @Entity final class Phone {
            var number: String = ""
            @Relationship var owner: Person?
        }
        @Entity final class Team {
            var name = ""
            @Relationship var members: [Person]
        }
    }

    private func withOld(_ body: (MigratingFile) async throws -> Void) async throws {
        try await withFile(of: Old.model, fill: Old.fill, body)
    }

    @Test func newestDuplicateIsKept() async throws {
        try await withOld { file in
            let model = ObjectModel([Newest.Person.self, Newest.Phone.self, Newest.Team.self], version: 2)
            let isEqual = try await file.migrate(to: model) { manager in
                let persons = try manager.viewStorage.allObjects(ofType: Newest.Person.self)
                // Objects whose value is nil are not duplicates.
                #expect(persons.map(\.rank) == [3, 4, 5, 6, 7])
                #expect(persons.map(\.name) == ["name 0", "name 1", "name 2", nil, nil])
                // Their boss, the first person, was deleted as a duplicate.
                #expect(persons.allSatisfy { $0.boss == nil && $0.phones.count == 1 && $0.teams.count == 1 })
                #expect(try manager.viewStorage.countObjects(ofType: Newest.Phone.self) == 5)
            }
            #expect(isEqual)
            let summary =
                try await SchemaProbe.values(
                    of: file.url,
                    "SELECT summary FROM larder_history ORDER BY step DESC LIMIT 1"
                ).first ?? nil
            #expect(summary?.contains(#"{"count":3,"entity":"Person","kind":"duplicate","property":"name"}"#) == true)
            #expect(summary?.contains(#"{"count":3,"entity":"Phone","kind":"duplicate"}"#) == true)
        }
    }

    @Test func oldestDuplicateIsKeptWhenTableIsRebuilt() async throws {
        try await withOld { file in
            let model = ObjectModel([Oldest.Person.self, Oldest.Phone.self, Oldest.Team.self], version: 2)
            let isEqual = try await file.migrate(to: model) { manager in
                let persons = try manager.viewStorage.allObjects(ofType: Oldest.Person.self)
                #expect(persons.map(\.rank) == ["0", "1", "2", "6", "7"])
                #expect(persons.dropFirst().allSatisfy { $0.boss === persons[0] })
                let team = try #require(try manager.viewStorage.firstObject(ofType: Oldest.Team.self))
                #expect(team.members.count == 5)
            }
            #expect(isEqual)
        }
    }

    @Test func denyRuleOnDuplicateRollsBackMigration() async throws {
        try await withOld { file in
            let model = ObjectModel([Denying.Person.self, Denying.Phone.self, Denying.Team.self], version: 2)
            let error = #expect(throws: ObjectError.self) { try file.open(model) }
            #expect(error?.code == .modelMismatch)
            #expect(error?.problems.first?.contains("while its relationship phones refers to Phone/") == true)
            let manager = try file.open(Old.model)
            #expect(try manager.viewStorage.countObjects(ofType: Old.Person.self) == 8)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }

    enum Texts {
        @Entity final class Product { @Attribute(.unique) var code: String = "" }
    }
    enum Numbers {
        @Entity final class Product { @Attribute(.unique(keeping: .newest), .inexact) var code: Int = 0 }
    }

    @Test func valuesMadeEqualByConversionAreDuplicates() async throws {
        try await withFile(of: ObjectModel([Texts.Product.self])) { storage in
            for code in ["7", "8", "007"] { try storage.insertNewObject(ofType: Texts.Product.self).code = code }
        } _: { file in
            let isEqual = try await file.migrate(to: ObjectModel([Numbers.Product.self], version: 2)) { manager in
                let products = try manager.viewStorage.allObjects(ofType: Numbers.Product.self)
                #expect(products.map(\.code) == [8, 7] && products.map(\.objectID.rowID) == [2, 3])
            }
            #expect(isEqual)
        }
    }

    enum Owners {
        @Entity final class Person {
            var name: String = ""
            @Relationship var passport: Passport?
        }
        @Entity final class Passport {
            var number: Int = 0
            @Relationship(inverse: \Person.passport) var owner: Person
        }
    }
    enum UniqueOwners {
        @Entity final class Person {
            @Attribute(.unique(keeping: .newest)) var name: String = ""
            @Relationship var passport: Passport?
        }
        @Entity final class Passport {
            var number: Int = 0
            @Relationship(inverse: \Person.passport) var owner: Person
        }
    }

    @Test func duplicateRequiredByAnotherObjectStopsMigration() async throws {
        try await withFile(of: ObjectModel([Owners.Person.self, Owners.Passport.self])) { storage in
            for number in 0..<2 {
                let person = try storage.insertNewObject(ofType: Owners.Person.self)
                let passport = try storage.insertNewObject(ofType: Owners.Passport.self)
                person.name = "same"
                passport.number = number
                passport.owner = person
            }
        } _: { file in
            let model = ObjectModel([UniqueOwners.Person.self, UniqueOwners.Passport.self], version: 2)
            let error = #expect(throws: ObjectError.self) { try file.open(model) }
            #expect(error?.problems.first?.contains("required relationship Passport/2.owner") == true)
            let manager = try file.open(ObjectModel([Owners.Person.self, Owners.Passport.self]))
            #expect(try manager.viewStorage.countObjects(ofType: Owners.Person.self) == 2)
            #expect(try manager.verify().problems == [])
            try manager.close()
        }
    }
}
#endif
