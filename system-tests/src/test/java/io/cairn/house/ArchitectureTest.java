package io.cairn.house;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import org.junit.jupiter.api.Test;

/** Holds the directions between modules and packages. Sees every module but the benchmarks. */
class ArchitectureTest {
    private static final String[] COMMON = {
        "io.cairn.base..",
        "io.cairn.fs..",
        "io.cairn.cluster..",
        "io.cairn.wire..",
        "io.cairn.net..",
        "io.cairn.runtime..",
        "io.cairn.os..",
        "io.cairn.identity..",
        "io.cairn.seal..",
        "io.cairn.trace.."
    };
    private static final String HTTP = "io.cairn.http..";
    private static final String ADMIN = "io.cairn.admin..";
    private static final String CLIENT = "io.cairn.client..";
    private static final String FUSE = "io.cairn.fuse..";
    private static final String NFS = "io.cairn.nfs..";
    private static final String MASTER = "io.cairn.master..";
    private static final String CHUNK = "io.cairn.chunk..";
    private static final String NODE = "io.cairn.node..";
    private static final String CLI = "io.cairn.cli..";
    private static final String TESTKIT = "io.cairn.testkit..";
    private static final String VERIFY = "io.cairn.verify..";
    private static final String METADATA = "io.cairn.metadata..";

    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                    .withImportOption(location -> !location.contains("-tests.jar"))
                    .importPackages("io.cairn");

    @Test
    void everyPackageBelongsToAModule() {
        classes()
                .that()
                .resideInAPackage("io.cairn..")
                .should()
                .resideInAnyPackage(
                        with(
                                COMMON, HTTP, CLIENT, FUSE, NFS, METADATA, MASTER, ADMIN, CHUNK,
                                NODE, VERIFY, CLI, TESTKIT))
                .because("the rules below know the modules by their packages")
                .check(CLASSES);
    }

    @Test
    void commonSeesNoOtherModule() {
        check(
                noClasses().that().resideInAnyPackage(COMMON),
                "io.cairn..",
                "common is below every other module",
                COMMON);
    }

    @Test
    void httpSeesOnlyCommon() {
        check(
                noClasses().that().resideInAPackage(HTTP),
                "io.cairn..",
                "http stands on common alone",
                with(COMMON, HTTP));
    }

    @Test
    void adminSeesTheMasterAndHttp() {
        check(
                noClasses().that().resideInAPackage(ADMIN),
                "io.cairn..",
                "admin stands on master-service and http",
                with(COMMON, HTTP, METADATA, MASTER, ADMIN));
    }

    @Test
    void onlyTheJnrDriverImportsJnr() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.cairn.fuse.jnr..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("jnr..", "ru.serce..")
                .because("every other native call is bound by io.cairn.os.NativeCalls")
                .check(CLASSES);
    }

    @Test
    void nativeFunctionsAreBoundInOnePlace() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.cairn.os..", "io.cairn.fuse.jnr..", "io.cairn.testkit..")
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(java.lang.foreign.Linker.class)
                .because("one binder knows how errno is kept and what is not repeated")
                .check(CLASSES);
    }

    @Test
    void onlyTheHttpRoomImportsJetty() {
        check(
                noClasses().that().resideOutsideOfPackage(HTTP),
                "org.eclipse.jetty..",
                "Jetty is behind io.cairn.http");
    }

    @Test
    void clientSeesOnlyCommon() {
        check(
                noClasses().that().resideInAPackage(CLIENT),
                "io.cairn..",
                "client stands on common alone",
                with(COMMON, CLIENT));
    }

    @Test
    void fuseClientSeesOnlyClientAndCommon() {
        check(
                noClasses().that().resideInAPackage(FUSE),
                "io.cairn..",
                "fuse-client stands on client and common",
                with(COMMON, CLIENT, FUSE));
    }

    @Test
    void nfsGatewaySeesOnlyClientAndCommon() {
        check(
                noClasses().that().resideInAPackage(NFS),
                "io.cairn..",
                "nfs-gateway stands on client and common",
                with(COMMON, CLIENT, NFS));
    }

    @Test
    void metadataSeesOnlyCommon() {
        check(
                noClasses().that().resideInAPackage(METADATA),
                "io.cairn..",
                "metadata stands on common alone",
                with(COMMON, METADATA));
    }

    @Test
    void masterServiceSeesOnlyMetadataAndCommon() {
        check(
                noClasses().that().resideInAPackage(MASTER),
                "io.cairn..",
                "master-service stands on metadata and common",
                with(COMMON, METADATA, MASTER));
    }

    @Test
    void packagesHaveNoCircles() {
        SlicesRuleDefinition.slices()
                .matching("io.cairn.(**)")
                .should()
                .beFreeOfCycles()
                .because("who reads a package needs to know only those below it")
                .check(CLASSES);
    }

    @Test
    void theProtocolOfConnectionsHasNoSockets() {
        noClasses()
                .that()
                .resideInAPackage("io.cairn.net.frame..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.netty.channel..", "java.net..", "java.nio.channels..")
                .because("bytes leave through a Wire, which TLS can stand in")
                .check(CLASSES);
    }

    @Test
    void theFilesystemSeamKnowsNoThreads() {
        noClasses()
                .that()
                .resideInAPackage("io.cairn.fs..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.cairn.runtime..")
                .because("who waits how is the business of the client and of the doors")
                .check(CLASSES);
    }

    @Test
    void chunkServiceSeesOnlyCommon() {
        check(
                noClasses().that().resideInAPackage(CHUNK),
                "io.cairn..",
                "chunk-service stands on common alone",
                with(COMMON, CHUNK));
    }

    @Test
    void theTestkitSeesOnlyCommon() {
        check(
                noClasses().that().resideInAPackage(TESTKIT),
                "io.cairn..",
                "the testkit proves all modules and stands on common alone",
                with(COMMON, TESTKIT));
    }

    @Test
    void verifySeesOnlyCommon() {
        check(
                noClasses().that().resideInAPackage(VERIFY),
                "io.cairn..",
                "the verifier knows nothing of the code that it verifies",
                with(COMMON, VERIFY));
    }

    @Test
    void nodeSeesNoCommand() {
        noClasses()
                .that()
                .resideInAPackage(NODE)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(CLI, "picocli..")
                .because("processes are composed without a command line")
                .check(CLASSES);
    }

    @Test
    void onlyTheStoreImportsRocksDb() {
        check(
                noClasses().that().resideOutsideOfPackage("io.cairn.master.store.."),
                "org.rocksdb..",
                "RocksDB is behind the Store seam: use io.cairn.master.store");
    }

    @Test
    void onlyTheRaftRoomImportsRatis() {
        check(
                noClasses().that().resideOutsideOfPackage("io.cairn.master.raft.."),
                "org.apache.ratis..",
                "Ratis is behind io.cairn.master.raft");
    }

    @Test
    void onlyTheTraceRoomImportsOpenTelemetry() {
        check(
                noClasses().that().resideOutsideOfPackage("io.cairn.node.trace.."),
                "io.opentelemetry..",
                "OpenTelemetry is behind io.cairn.trace");
    }

    @Test
    void namespaceImportsNoMachinery() {
        noClasses()
                .that()
                .resideInAPackage(METADATA)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.netty..", "org.apache.ratis..", "org.rocksdb..", "io.cairn.net..", HTTP)
                .because("the namespace is a pure core over the Store seam")
                .check(CLASSES);
    }

    @Test
    void namespaceReadsNoClockAndRollsNoDice() {
        noClasses()
                .that()
                .resideInAPackage(METADATA)
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(Random.class, ThreadLocalRandom.class)
                .orShould()
                .dependOnClassesThat()
                .haveSimpleNameEndingWith("Clock")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(UUID.class, "randomUUID")
                .because("apply gives the same result on every master: the leader stamps the time")
                .check(CLASSES);
    }

    @Test
    void onlyTheRuntimeReadsTheClockOfTheMachine() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.cairn.runtime..", CLI, TESTKIT)
                .should()
                .callMethod(System.class, "nanoTime")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .because("time comes in through a Clock, the end of a wait through a Deadline")
                .check(CLASSES);
    }

    /** Pools that work is handed to; threads of a purpose stand beside what they do. */
    @Test
    void onlyRootsOfProcessesMakeExecutors() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.cairn.runtime..",
                        "io.cairn.node..",
                        "io.cairn.http..",
                        "io.cairn.master.raft..",
                        CLI,
                        "io.cairn.bench..",
                        TESTKIT)
                .and()
                .doNotHaveFullyQualifiedName("io.cairn.net.EventLoops")
                .and()
                .doNotHaveFullyQualifiedName("io.cairn.nfs.NfsGateway")
                .and()
                .doNotHaveFullyQualifiedName("io.cairn.admin.AdminApi")
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(
                        Executors.class,
                        ThreadPoolExecutor.class,
                        ScheduledThreadPoolExecutor.class,
                        ForkJoinPool.class)
                .because("a class is given the executor that runs its work")
                .check(CLASSES);
    }

    @Test
    void noStaticFieldChanges() {
        fields().that()
                .areStatic()
                .should()
                .beFinal()
                .because("a whole cluster can run in one JVM: state belongs to objects")
                .check(CLASSES);
    }

    /** Checks that {@code some} depend on nothing in {@code target} other than {@code allowed}. */
    private static void check(
            GivenClassesConjunction some, String target, String reason, String... allowed) {
        ArchRule rule =
                some.should()
                        .dependOnClassesThat(
                                resideInAPackage(target).and(not(resideInAnyPackage(allowed))))
                        .because(reason)
                        .allowEmptyShould(true);
        rule.check(CLASSES);
    }

    private static String[] with(String[] some, String... more) {
        String[] all = Arrays.copyOf(some, some.length + more.length);
        System.arraycopy(more, 0, all, some.length, more.length);
        return all;
    }
}
