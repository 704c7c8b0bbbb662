package io.cairn.cli;

import com.fasterxml.jackson.jr.ob.JSON;
import io.cairn.fs.HostLocks;
import io.cairn.fs.HostRecord;
import io.cairn.fs.LockHost;
import io.cairn.fs.Printable;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code cairn nfs locks}: the machines that hold locks over NFS. */
@Command(
        name = "locks",
        description = {
            "Show the machines that hold locks over NFS, and release the locks of one.",
            "Locks outlive gateways. Those of a machine that never comes back stay"
                    + " until somebody releases them. Never do it to one that lives: it"
                    + " would go on as if it had them."
        },
        synopsisSubcommandLabel = "COMMAND",
        footer = {
            "  cairn nfs locks list",
            "  cairn nfs locks release 10.0.0.7",
            "  cairn nfs locks release oldhost"
        })
final class NfsLocksCommand implements Callable<Integer> {
    @Option(
            names = "--masters",
            paramLabel = "HOST:PORT[,...]",
            defaultValue = "127.0.0.1:9871",
            scope = picocli.CommandLine.ScopeType.INHERIT,
            description = "The masters (default: ${DEFAULT-VALUE}).")
    private String masters = "";

    @Override
    public Integer call() {
        throw new CommandException(
                ExitCode.USAGE,
                "a command is missing: cairn nfs locks list or release; see --help");
    }

    @Command(
            name = "list",
            description = {
                "Print the machines with locks: name, address, the address of the"
                        + " gateway that they called last, how many locks they hold and await,"
                        + " and since when."
            },
            footer = "  cairn nfs locks list")
    int list(@Option(names = "--json", description = "Print a JSON document.") boolean json)
            throws IOException {
        List<HostRecord> hosts = with(HostLocks::hosts);
        if (json) {
            System.out.println(
                    JSON.std.asString(hosts.stream().map(NfsLocksCommand::map).toList()));
            return ExitCode.OK;
        }
        for (HostRecord record : hosts) {
            System.out.printf(
                    "%-30s %-15s via %-15s %6d held %6d waiting  since %s%n",
                    Printable.of(record.contact().host().name()),
                    record.contact().host().address(),
                    record.contact().server(),
                    record.held(),
                    record.waiting(),
                    since(record));
        }
        return ExitCode.OK;
    }

    private static Instant since(HostRecord record) {
        return Instant.ofEpochSecond(TimeUnit.NANOSECONDS.toSeconds(record.sinceNs()));
    }

    private static Map<String, Object> map(HostRecord record) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("name", record.contact().host().name());
        fields.put("address", record.contact().host().address());
        fields.put("server", record.contact().server());
        fields.put("state", record.contact().state());
        fields.put("held", record.held());
        fields.put("waiting", record.waiting());
        fields.put("since", since(record).toString());
        return fields;
    }

    @Command(
            name = "release",
            description = "Release all locks of a machine.",
            footer = "  cairn nfs locks release 10.0.0.7")
    int release(
            @Parameters(paramLabel = "HOST", description = "Its name or address, as listed.")
                    String name) {
        List<LockHost> released =
                with(
                        locks -> {
                            List<LockHost> found = new ArrayList<>();
                            for (HostRecord record : locks.hosts()) {
                                LockHost host = record.contact().host();
                                if (host.name().equals(name) || host.address().equals(name)) {
                                    locks.release(host, 0);
                                    found.add(host);
                                }
                            }
                            return found;
                        });
        if (released.isEmpty()) {
            throw new CommandException(ExitCode.NO_INPUT, name + " holds no locks over NFS");
        }
        released.forEach(
                host ->
                        System.out.println(
                                "released " + Printable.of(host.name()) + " " + host.address()));
        return ExitCode.OK;
    }

    private <T> T with(Function<HostLocks, T> work) {
        LogLevels.showWarningsOnly();
        try (Closing closing = new Closing()) {
            World world = closing.add(new World());
            String name =
                    MountNode.hostName() + " cairn nfs locks " + ProcessHandle.current().pid();
            Source source = new Source(MasterList.parse(masters), "/");
            return work.apply(closing.add(MountNode.connect(world, source, name)).hostLocks());
        }
    }
}
