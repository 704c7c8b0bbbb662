package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/** {@code cairn doctor} and {@code cairn admin bundle} beside a real cluster. */
final class DoctorAndBundleTest {
    private static final String SECRET = "swordfish-4711";

    @TempDir private Path directory;

    @Test
    void theDoctorLooksAtARealCluster() throws Exception {
        Path data = directory.resolve("data");
        String master = "127.0.0.1:" + ProcessCluster.freePort();
        String admin = "127.0.0.1:" + ProcessCluster.freePort();
        Path config = directory.resolve("cairn.yaml");
        Files.writeString(config, "replicas: 1\n# export-password: " + SECRET + "\n");
        List<String> up =
                List.of("up", "--data", data.toString(), "--listen", master, "--admin", admin);
        List<String> withConfig = new java.util.ArrayList<>(up);
        withConfig.addAll(List.of("--config", config.toString()));
        try (CairnProcess cluster = CairnProcess.start(directory.resolve("up.log"), withConfig)) {
            cluster.await(CairnProcess.READY, 90);
            cluster.awaitFirstToken();
            doctor(data, master);
            bundle(data, admin, cluster.pid());
        }
    }

    private void doctor(Path data, String master) throws Exception {
        CairnProcess.Result result =
                CairnProcess.run(
                        directory,
                        "doctor",
                        "--json",
                        "--for",
                        "mount,chunk",
                        "--data",
                        data.toString(),
                        "--listen",
                        master,
                        "--masters",
                        master);
        assertTrue(
                result.exitCode() == ExitCode.OK || result.exitCode() == ExitCode.UNAVAILABLE,
                result.output());
        Map<String, Object> document = JSON.std.mapFrom(result.output());
        assertEquals(
                result.exitCode() == ExitCode.OK,
                Integer.valueOf(0).equals(document.get("fail")),
                result.output());
        for (String expected :
                List.of(
                        "\"check\" : \"kernel\"",
                        "\"check\" : \"fuse\"",
                        "\"check\" : \"fsync\"",
                        "is Cairn's",
                        "takes connections",
                        "ms ahead of the leader")) {
            String text = result.output().replace("ms behind the", "ms ahead of the");
            assertTrue(text.contains(expected), expected + " in\n" + text);
        }
    }

    private void bundle(Path data, String admin, long pid) throws Exception {
        Path token = Files.copy(data.resolve("admin.token"), directory.resolve("token"));
        Files.writeString(data.resolve("master").resolve("admin.token"), SECRET + "\n");
        Files.createDirectories(data.resolve("log"));
        Files.writeString(data.resolve("log/x.log"), "it was " + SECRET + ", said the log\n");
        Path out = directory.resolve("bundle.tar.gz");
        CairnProcess.Result result =
                CairnProcess.run(
                        directory,
                        "admin",
                        "bundle",
                        "--data",
                        data.toString(),
                        "--api",
                        "http://" + admin,
                        "--token-file",
                        token.toString(),
                        "--output",
                        out.toString());
        assertEquals(ExitCode.OK, result.exitCode(), result.output());
        assertTrue(result.output().contains("collecting versions.txt"), result.output());
        assertFalse(Files.exists(directory.resolve(".bundle.tar.gz.partial")));
        Path open = Files.createDirectory(directory.resolve("open"));
        Shell.run(open, "tar -xzf " + out);
        String manifest = Files.readString(open.resolve("manifest.txt"));
        String service = "services/" + admin.replace(':', '_');
        for (String name :
                List.of(
                        "versions.txt",
                        "doctor.json",
                        "status.json",
                        "api/cluster.json",
                        "api/groups.json",
                        service + "/metrics.txt",
                        service + "/ready.json",
                        "processes/" + pid + "/Thread.print.txt",
                        "processes/" + pid + "/command.txt")) {
            assertTrue(Files.size(open.resolve(name)) > 0, name + "\n" + manifest);
            assertTrue(manifest.contains(name), manifest);
        }
        assertTrue(
                Files.readString(open.resolve("processes/" + pid + "/Thread.print.txt"))
                        .contains("cairn-timer"));
        assertTrue(Files.readString(open.resolve(service + "/metrics.txt")).contains("jvm_memory"));
        assertTrue(
                manifest.contains("cairn.yaml") && manifest.contains("x.log"),
                "settings and logs: " + manifest);
        assertFalse(Shell.run(open, "cat $(find . -type f)").contains(SECRET));
        CairnProcess.Result again =
                CairnProcess.run(directory, "admin", "bundle", "--output", out.toString());
        assertEquals(ExitCode.CANNOT_CREATE, again.exitCode(), again.output());
    }
}
