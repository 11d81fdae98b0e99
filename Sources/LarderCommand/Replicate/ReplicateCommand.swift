#if Command
import ArgumentParser

struct ReplicateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replicate",
        abstract: "Inspects and copies stores that several machines share.",
        discussion: """
            ADDRESS is that of a database followed by # and the name of a store, such as postgresql://host/app#flags. Write no \
            password in it, because other users can see arguments. Use a password file, or the variables of libpq.
              larder replicate status flags.larder                  how far a replica follows its cluster
              larder replicate status flags.larder --cluster ADDRESS   with the number of commits that it is behind
              larder replicate status ADDRESS                       the position and size of the store in the cluster
              larder replicate follow ADDRESS                       the commits of all machines as they arrive
              larder replicate snapshot ADDRESS FILE                writes the entries to a device store
              larder replicate schema                               the SQL that prepares a database
            """,
        subcommands: [
            ReplicateStatusCommand.self, ReplicateFollowCommand.self, ReplicateSnapshotCommand.self,
            ReplicateSchemaCommand.self,
        ]
    )
}
#endif
