#if Objects
import Foundation
import GRDB
import LarderCore
import LarderTestTraits
import Testing

@testable import LarderObjects

/// Tests of checking positions in ordered relationships, and values that are stored as JSON.
@Suite struct PositionVerificationTests {
    /// A model with ordered lists on each side of each kind of relationship, and a value that is stored as JSON.
    enum Music {
        @Entity final class Album {
            var place: Address = Address()
            @Relationship(inverse: \Track.album, ordered: true) var tracks: [Track]
            @Relationship(inverse: \Artist.albums, ordered: true) var artists: [Artist]
        }
        @Entity final class Track {
            var title: String = ""
            @Relationship var album: Album?
        }
        @Entity final class Artist {
            var name: String = ""
            @Relationship(ordered: true) var albums: [Album]
        }
        static let model = ObjectModel([Album.self, Track.self, Artist.self])
    }

    /// Creates two albums with two tracks and two artists, runs SQL, and verifies the file.
    ///
    /// - Returns: The problems that the manager finds, and those that are found without the classes.
    private func problems(_ sql: String) async throws -> (manager: [String], file: [String]) {
        try await withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("music.sqlite")
            let configuration = ObjectStorageConfiguration(viewQueue: DispatchQueue(label: "view"))
            let manager = try SQLiteStorageManager(model: Music.model, url: url, configuration: configuration)
            try await manager.performAndSave { storage in
                let artists = try (0..<2).map { _ in try storage.insertNewObject(ofType: Music.Artist.self) }
                for _ in 0..<2 {
                    let album = try storage.insertNewObject(ofType: Music.Album.self)
                    album.artists = artists
                    album.tracks = try (0..<2).map { _ in try storage.insertNewObject(ofType: Music.Track.self) }
                }
            }
            #expect(try manager.verify().problems == [])
            try await manager.write { try $0.execute(sql: sql) }
            let found = try manager.verify().problems
            try manager.close()
            let database = try ObjectDatabase(reading: url.path)
            defer { database.close() }
            #expect(try database.verify() == [])
            func texts(_ problems: [StoreVerification.Problem]) -> [String] {
                problems.map { "\($0.key ?? ""): \($0.message)" }
            }
            return (texts(found), texts(try database.verify(deep: true).problems))
        }
    }

    // The artists have the ids 1 and 2, the albums 3 and 6, the tracks 4, 5, 7 and 8.

    @Test func positionOutsideListIsProblem() async throws {
        let found = try await problems("UPDATE Track SET album = NULL WHERE objectID = 7")
        #expect(found.manager.count == 1)
        #expect(
            found.manager.first?.hasPrefix(
                "Track/7.album.position: The object has a position in an ordered relationship but is in none"
            ) == true
        )
        #expect(found.file == found.manager)
    }

    @Test func negativeAndEqualAndMissingPositionsAreValid() async throws {
        let found = try await problems(
            """
            UPDATE Track SET "album.position" = -9 WHERE objectID IN (4, 5);
            UPDATE Track SET "album.position" = NULL WHERE objectID = 7;
            UPDATE "Album.artists" SET sourcePosition = -4, targetPosition = NULL
            """
        )
        #expect(found.manager == [] && found.file == [])
    }

    @Test(arguments: ["{\"city\":", "", "street"])
    func valueThatIsNotJSONIsProblem(_ text: String) async throws {
        let found = try await problems("UPDATE Album SET place = '\(text)' WHERE objectID = 6")
        #expect(found.manager.count == 1 && found.manager.first?.hasPrefix("Album/6.place: ") == true)
        #expect(
            found.file == [
                "Album/6.place: The value is not JSON, so it can't be decoded as Address. Set another value."
            ]
        )
    }
}
#endif
