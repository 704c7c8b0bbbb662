package io.cairn.cli.doctor;

import io.cairn.base.Printable;
import io.cairn.cli.doctor.Examination.Scope;
import io.cairn.cli.doctor.Finding.Level;
import io.cairn.node.ExitCode;
import io.cairn.node.MasterList;
import io.cairn.node.log.LogLevels;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.jr.ob.JSON;

/** {@code cairn doctor}: is this machine fit for Cairn? */
@Command(
        name = "doctor",
        description = {
            "Check this machine: FUSE, JDK, kernel, memory, limits, disks, ports, clock, versions.",
            "Changes nothing, except that it writes and removes a small file in the directories of"
                    + " --data to time fsync. Ends with 69 when a check fails, otherwise with 0."
        },
        footer = {
            "  cairn doctor",
            "  cairn doctor --for chunk --data /srv/disk1,/srv/disk2 --listen 10.0.0.5:9881",
            "  cairn doctor --for mount --masters 10.0.0.1:9871,10.0.0.2:9871 --json"
        })
public final class DoctorCommand implements Callable<Integer> {
    @Option(
            names = "--for",
            split = ",",
            paramLabel = "ROLE[,...]",
            description =
                    "What the machine is for: ${COMPLETION-CANDIDATES}, in lower case as well"
                            + " (default: all).")
    private List<Role> roles = new ArrayList<>();

    @Option(
            names = "--data",
            split = ",",
            paramLabel = "DIR[,DIR...]",
            description = "Where data is or will be (default: ~/.cairn).")
    private List<Path> data = new ArrayList<>();

    @Option(
            names = "--listen",
            split = ",",
            paramLabel = "HOST:PORT[,...]",
            description = "Where services will listen (default: the standard ports).")
    private List<String> listen = new ArrayList<>();

    @Option(
            names = "--masters",
            paramLabel = "HOST:PORT[,...]",
            description = "Masters to reach and to compare clock and version with (default: none).")
    private @Nullable String masters;

    @Option(names = "--json", description = "Print a JSON document.")
    private boolean json;

    @Override
    public Integer call() throws Exception {
        LogLevels.showWarningsOnly();
        Set<Role> wanted = roles.isEmpty() ? EnumSet.allOf(Role.class) : EnumSet.copyOf(roles);
        Scope scope =
                new Scope(
                        wanted,
                        data,
                        listen.stream().map(MasterList::endpoint).toList(),
                        masters == null ? List.of() : MasterList.parse(masters));
        List<Finding> findings = new Examination().run(scope);
        if (json) {
            System.out.println(json(findings));
        } else {
            print(findings, System.out);
        }
        return findings.stream().anyMatch(f -> f.level() == Level.FAIL)
                ? ExitCode.UNAVAILABLE
                : ExitCode.OK;
    }

    /** The findings as people read them: one line each, the remedy below. */
    static void print(List<Finding> findings, PrintStream out) {
        for (Finding finding : findings) {
            String text = Printable.of(finding.text());
            out.printf("%-4s  %-10s  %s%n", finding.level(), finding.check(), text);
            if (finding.remedy() != null) {
                out.printf("%18s-> %s%n", "", Printable.of(finding.remedy()));
            }
        }
        out.printf(
                "%d ok, %d to improve, %d failed%n",
                count(findings, Level.OK),
                count(findings, Level.WARN),
                count(findings, Level.FAIL));
    }

    private static long count(List<Finding> findings, Level level) {
        return findings.stream().filter(f -> f.level() == level).count();
    }

    /** The findings as a JSON document. */
    static String json(List<Finding> findings) {
        List<Map<String, Object>> array = new ArrayList<>();
        for (Finding finding : findings) {
            Map<String, Object> each = new LinkedHashMap<>();
            each.put("check", finding.check());
            each.put("level", finding.level().name().toLowerCase(Locale.ROOT));
            each.put("text", finding.text());
            if (finding.remedy() != null) {
                each.put("remedy", finding.remedy());
            }
            array.add(each);
        }
        Map<String, Object> document = new LinkedHashMap<>();
        document.put("ok", count(findings, Level.OK));
        document.put("warn", count(findings, Level.WARN));
        document.put("fail", count(findings, Level.FAIL));
        document.put("findings", array);
        return JSON.std.with(JSON.Feature.PRETTY_PRINT_OUTPUT).asString(document);
    }
}
