package io.cairn.cli.api;

import io.cairn.base.Wording;
import io.cairn.cli.option.OwnDirectory;
import io.cairn.cli.option.WaitOption;
import io.cairn.node.AdminAddress;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.Loopback;
import io.cairn.node.MasterNode;
import io.cairn.node.MasterWait;
import io.cairn.node.RunFile;
import io.cairn.node.log.LogLevels;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.lang.reflect.AnnotatedElement;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** How a command reaches the admin API, and how it prints what it gets. */
public class ApiOptions {
    /** Those that can also stand in a file or in the environment. */
    public static final Set<String> SETTINGS =
            Set.of("api", "token-file", "data", "ca", "wait", "masters");

    /** A variable with the secret itself. */
    public static final String TOKEN_VARIABLE = "CAIRN_TOKEN";

    private static final String STANDARD_API = "http://" + AdminAddress.STANDARD;

    @Spec(Spec.Target.MIXEE)
    private @Nullable CommandSpec command;

    @Option(
            names = "--api",
            paramLabel = "URL[,...]",
            description = {
                "Admin addresses of masters, the first that answers is used: a master that does"
                        + " not lead hands on (default: that of the 'cairn up' on --data, else "
                        + STANDARD_API
                        + ")."
            })
    private @Nullable String api;

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description = {
                "File with the secret of a token (default: what the variable CAIRN_TOKEN holds,"
                        + " else admin.token in --data)."
            })
    private @Nullable Path tokenFile;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Data directory of 'cairn up' or of a master (default: ~/.cairn).")
    private @Nullable Path data;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description =
                    "Whom to trust over HTTPS: certificates (PEM), the master's own or an"
                            + " authority's.")
    private @Nullable Path ca;

    @Option(names = "--json", description = "Print the document of the API.")
    private boolean json;

    @Option(names = "--bytes", description = "Print sizes in bytes.")
    private boolean exact;

    @Mixin private WaitOption patience = new WaitOption();

    private @Nullable ApiClient client;

    private CommandSpec command() {
        CommandSpec known = command;
        if (known == null) {
            throw new IllegalStateException("these options belong to no command");
        }
        return known;
    }

    public CommandLine line() {
        return command().commandLine();
    }

    PrintWriter out() {
        return line().getOut();
    }

    public PrintWriter errors() {
        return line().getErr();
    }

    public boolean isJson() {
        return json;
    }

    Screen screen() {
        return Screen.of(System.getenv());
    }

    public Values values() {
        return new Values(exact ? Long::toString : Wording::bytes);
    }

    Sheet sheet() {
        return new Sheet(values(), screen());
    }

    public Table table(String columns) {
        return new Table(columns, values(), screen());
    }

    public void print(List<String> lines) {
        lines.forEach(out()::println);
        out().flush();
    }

    /** Asks the API; the command must have declared the route. */
    public ApiAnswer ask(ApiRequest request) {
        requireDeclared(request);
        return client().send(request);
    }

    /** The same for a stream of a media type. */
    public InputStream open(ApiRequest request, String type) {
        requireDeclared(request);
        return client().open(request, type);
    }

    /** Asks what the API knows of a path. Every command that is given one may. */
    public ApiAnswer look(String path) {
        return client().send(ApiRequest.of("GET /files/{path}", path));
    }

    private void requireDeclared(ApiRequest request) {
        if (!routes(command()).contains(request.route())) {
            throw new IllegalStateException(
                    command().qualifiedName() + " does not declare that it calls " + request);
        }
    }

    /** The routes that a command declares. */
    public static List<String> routes(CommandSpec command) {
        AnnotatedElement element =
                command.userObject() instanceof AnnotatedElement method
                        ? method
                        : command.userObject().getClass();
        Calls calls = element.getAnnotation(Calls.class);
        return calls == null ? List.of() : List.of(calls.value());
    }

    private ApiClient client() {
        ApiClient known = client;
        if (known == null) {
            LogLevels.showWarningsOnly();
            List<URI> bases = bases();
            known =
                    new ApiClient(bases, token(), trusted(bases), limit())
                            .waiting(
                                    Duration.ofMillis(patience.limitMs()),
                                    names -> MasterWait.tell(names, errors()));
            client = known;
        }
        return known;
    }

    private static Duration limit() {
        return Duration.ofSeconds(60);
    }

    public WaitOption patience() {
        return patience;
    }

    /** Whether somebody said where the API is. */
    public boolean isApiGiven() {
        return api != null;
    }

    /** Whether somebody gave a token, or one is where it is looked for. */
    public boolean hasToken() {
        return tokenFile != null
                || System.getenv(TOKEN_VARIABLE) != null
                || Files.exists(directory().resolve(MasterNode.TOKEN_FILE));
    }

    /** The data directory of who answers here. */
    public Path directory() {
        return OwnDirectory.unless(data);
    }

    private List<URI> bases() {
        String text = api;
        if (text == null) {
            RunFile running = RunFile.read(directory());
            text = running == null ? STANDARD_API : running.api();
        }
        return Stream.of(text.split(",", -1)).map(String::strip).map(ApiOptions::base).toList();
    }

    private static URI base(String text) {
        try {
            URI uri = URI.create(text.replaceFirst("/+$", ""));
            boolean isSecure = "https".equals(uri.getScheme());
            if ((!isSecure && !"http".equals(uri.getScheme()))
                    || uri.getHost() == null
                    || !uri.getRawPath().isEmpty()
                    || uri.getRawQuery() != null
                    || uri.getRawUserInfo() != null) {
                throw new IllegalArgumentException("not of this form");
            }
            if (!isSecure && !Loopback.holds("--api", uri.getHost())) {
                throw new CommandException(
                        ExitCode.CONFIG,
                        "--api "
                                + text
                                + " would send the token for all to read: use https:// (--ca FILE),"
                                + " or a tunnel to 127.0.0.1");
            }
            return uri;
        } catch (IllegalArgumentException e) {
            throw new CommandException(
                    ExitCode.USAGE,
                    "--api '" + text + "' is not an address such as https://master:9870",
                    e);
        }
    }

    private String token() {
        String given = System.getenv(TOKEN_VARIABLE);
        if (tokenFile == null && given != null && !given.isBlank()) {
            return checked(given, TOKEN_VARIABLE);
        }
        Path file = tokenFile != null ? tokenFile : directory().resolve(MasterNode.TOKEN_FILE);
        try {
            return checked(Files.readString(file), file.toString());
        } catch (NoSuchFileException e) {
            throw new CommandException(
                    tokenFile != null ? ExitCode.NO_INPUT : ExitCode.NO_PERMISSION,
                    "no token: "
                            + file
                            + " does not exist; give --token-file FILE, --data DIR of a master, or"
                            + " CAIRN_TOKEN",
                    e);
        } catch (IOException e) {
            throw new CommandException(
                    ExitCode.NO_PERMISSION,
                    "the token in " + file + " cannot be read (" + Wording.of(e) + ")",
                    e);
        }
    }

    private static String checked(String secret, String where) {
        String token = secret.strip();
        if (!token.matches("[\\x21-\\x7e]{1,512}")) {
            throw new CommandException(
                    ExitCode.CONFIG, where + " does not hold a token (cairn_...) and nothing else");
        }
        return token;
    }

    private @Nullable SSLContext trusted(List<URI> bases) {
        Path file = ca;
        if (file == null || bases.stream().noneMatch(base -> "https".equals(base.getScheme()))) {
            return null;
        }
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            int count = 0;
            for (Certificate each :
                    CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                store.setCertificateEntry("trusted-" + count++, each);
            }
            if (count == 0) {
                throw new GeneralSecurityException("there is no certificate in it");
            }
            TrustManagerFactory factory =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, factory.getTrustManagers(), null);
            return context;
        } catch (NoSuchFileException e) {
            throw new CommandException(ExitCode.NO_INPUT, "--ca " + file + " does not exist", e);
        } catch (IOException | GeneralSecurityException e) {
            throw new CommandException(
                    ExitCode.CONFIG, "--ca " + file + " cannot be used: " + Wording.of(e), e);
        }
    }

    /** A document without anything around it, for {@code --json}. */
    public void printDocument(String text) {
        out().println(text.strip());
        out().flush();
    }

    /** The items of a document that has some. */
    public static List<?> items(Map<String, Object> document) {
        return items(document, "items");
    }

    /** The elements of a list in a document. */
    public static List<?> items(Map<String, Object> document, String field) {
        return document.get(field) instanceof List<?> list ? list : List.of();
    }
}
