package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.cairn.cli.Cairn;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The caller's side of the admin API over HTTPS, and what becomes of problems. */
final class ApiTrustTest {
    private static final char[] PASSWORD = "secret".toCharArray();

    @TempDir private Path directory;

    private String errors = "";

    @Test
    void onlyATrustedServerGetsTheToken() throws Exception {
        String body =
                "{\"title\":\"T\",\"detail\":\"It is so.\\nReally.\",\"allowed\":[\"a\",\"b\"]}";
        keytool("-genkeypair", "-keyalg", "EC", "-dname", "CN=test", "-ext", "SAN=IP:127.0.0.1");
        keytool("-exportcert", "-rfc", "-file", directory.resolve("ca.pem").toString());
        Path empty = Files.writeString(directory.resolve("empty.pem"), "");
        int[] asked = new int[1];
        int[] status = {503};
        HttpsServer server =
                HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context()));
        server.createContext(
                "/",
                exchange -> {
                    asked[0]++;
                    answer(exchange, status[0], body);
                });
        server.start();
        try {
            String api = "https://127.0.0.1:" + server.getAddress().getPort();
            assertEquals(ExitCode.CONFIG, status(api, null), errors);
            assertTrue(errors.contains("--ca"), errors);
            assertEquals(ExitCode.CONFIG, status(api, empty), errors);
            assertEquals(0, asked[0]);
            Path ca = directory.resolve("ca.pem");
            assertEquals(ExitCode.TEMPORARY, status(api, ca), errors);
            assertEquals("cairn: It is so. Really. Possible: a, b.", errors.strip());
            status[0] = 409;
            assertEquals(ExitCode.CANNOT_CREATE, status(api, ca), errors);
            status[0] = 403;
            assertEquals(ExitCode.NO_PERMISSION, status(api, ca), errors);
            status[0] = 500;
            assertEquals(ExitCode.SOFTWARE, status(api, ca), errors);
            assertEquals(4, asked[0], "nothing is asked twice");
            // Somebody who cannot prove who he is gets nothing, and is no reason to go elsewhere.
            assertEquals(ExitCode.CONFIG, status(api + "," + api, null), errors);
            assertEquals(4, asked[0]);
        } finally {
            server.stop(0);
        }
    }

    private int status(String api, @Nullable Path ca) throws IOException {
        Path token = Files.writeString(directory.resolve("token"), "cairn_x\n");
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "status",
                                "--wait",
                                "0",
                                "--api",
                                api,
                                "--token-file",
                                token.toString()));
        if (ca != null) {
            arguments.addAll(List.of("--ca", ca.toString()));
        }
        StringWriter told = new StringWriter();
        int code =
                Cairn.run(
                        arguments.toArray(String[]::new),
                        new PrintWriter(new StringWriter()),
                        new PrintWriter(told));
        errors = told.toString();
        return code;
    }

    private static void answer(HttpExchange exchange, int status, String body) throws IOException {
        try (exchange) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/problem+json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }

    private SSLContext context() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(directory.resolve("keys"))) {
            store.load(in, PASSWORD);
        }
        KeyManagerFactory keys =
                KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        return context;
    }

    private void keytool(String... arguments) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "keytool")
                                        .toString()));
        command.addAll(List.of(arguments));
        command.addAll(
                List.of(
                        "-alias",
                        "test",
                        "-keystore",
                        directory.resolve("keys").toString(),
                        "-storepass",
                        new String(PASSWORD)));
        Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("keytool.log").toFile())
                        .start();
        assertTrue(process.waitFor(50, TimeUnit.SECONDS));
        assertEquals(0, process.exitValue(), Files.readString(directory.resolve("keytool.log")));
    }
}
