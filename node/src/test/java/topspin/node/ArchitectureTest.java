package topspin.node;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.lang.ArchRule;

import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.stream.Stream;

/**
 * The arrows of the architecture, checked in the class files: data flows one way and nobody looks
 * back. A finding names the class, file and line, and what to do.
 */
final class ArchitectureTest {
    private static final JavaClasses CLASSES =
            new ClassFileImporter()
                    .withImportOption(ArchitectureTest::isOurs)
                    .importPackages("topspin");

    /** What each package of the node may see of the node. Only the root package sees all. */
    private static final Map<String, String[]> NODE_ARROWS =
            Map.of(
                    "pool", packages(),
                    "devmode", packages("pool"),
                    "ingest", packages("pool"),
                    "catchup", packages(),
                    "agreement", packages(),
                    "keys", packages(),
                    "rest", packages("ingest", "pool", "devmode", "catchup", "keys"),
                    "kmd", packages("rest"));

    private static boolean isOurs(Location location) {
        return !location.contains("/test-classes/") && !location.contains("-tests.jar");
    }

    private static String[] packages(String... names) {
        return Arrays.stream(names)
                .map(name -> "topspin.node." + name + "..")
                .toArray(String[]::new);
    }

    private static ArchRule only(
            String what, String remedy, DescribedPredicate<JavaClass> users, String... library) {
        return noClasses()
                .that(DescribedPredicate.not(users))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(library)
                .as(what)
                .because(remedy)
                .allowEmptyShould(true);
    }

    private static ArchRule never(String from, String remedy, String... to) {
        return noClasses()
                .that()
                .resideInAnyPackage(from)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(to)
                .as(from + " does not see " + String.join(", ", to))
                .because(remedy)
                .allowEmptyShould(true);
    }

    static Stream<Arguments> rules() {
        Stream<ArchRule> modules =
                Stream.of(
                        never(
                                "topspin.codec..",
                                "bytes and their meaning know nothing of who uses them",
                                "topspin.ledger..",
                                "topspin.net..",
                                "topspin.node..",
                                "topspin.loadgen.."),
                        never(
                                "topspin.ledger..",
                                "a block reaches the ledger as a value; who brought it is no"
                                        + " matter",
                                "topspin.net..",
                                "topspin.node..",
                                "topspin.loadgen.."),
                        never(
                                "topspin.net..",
                                "peers' messages are bytes here; Inbox hands them on",
                                "topspin.ledger..",
                                "topspin.node..",
                                "topspin.loadgen.."),
                        never(
                                "topspin.loadgen..",
                                "the generator knows the node as any wallet does, by REST alone",
                                "topspin.ledger..",
                                "topspin.net..",
                                "topspin.node.."));
        Stream<ArchRule> libraries =
                Stream.of(
                        only(
                                "RocksDB is seen by topspin.ledger.store alone",
                                "go through LedgerStore",
                                resideInAPackage("topspin.ledger.store.."),
                                "org.rocksdb.."),
                        only(
                                "Netty is seen by those who hold sockets",
                                "an Inbox may see a ByteBuf, to copy it; all others see bytes",
                                resideInAnyPackage(
                                                "topspin.net..",
                                                "topspin.node.rest..",
                                                "topspin.loadgen..")
                                        .or(copiesFromInbox()),
                                "io.netty.."),
                        only(
                                "Bouncy Castle is seen by cryptography alone",
                                "put the operation into topspin.codec.crypto, with its vectors",
                                resideInAnyPackage("topspin.codec.crypto..", "topspin.net.p2p.."),
                                "org.bouncycastle.."),
                        only(
                                "the vector module is seen by topspin.codec.lanes alone",
                                "the module may be absent; SignatureEngine finds out",
                                resideInAPackage("topspin.codec.lanes.."),
                                "jdk.incubator.vector.."),
                        only(
                                "SQLite is seen by topspin.node.keys alone",
                                "it is the format of key files and of nothing else",
                                resideInAPackage("topspin.node.keys.."),
                                "org.sqlite..",
                                "java.sql.."),
                        never(
                                "topspin.codec..",
                                "codec is pure: no channel, no thread, no log, no file",
                                "java.util.logging..",
                                "org.slf4j..",
                                "java.net..",
                                "java.nio.channels.."),
                        only(
                                "logging libraries are seen by NodeLog alone",
                                "log with System.Logger",
                                named("topspin.node.NodeLog"),
                                "ch.qos.logback..",
                                "org.slf4j..",
                                "java.util.logging.."),
                        only(
                                "of loadgen the node sees what its command line needs",
                                "only Commands joins the two",
                                resideInAPackage("topspin.loadgen..")
                                        .or(resideInAPackage("topspin.node")),
                                "topspin.loadgen.."));
        Stream<ArchRule> node =
                NODE_ARROWS.entrySet().stream()
                        .sorted(Map.Entry.comparingByKey())
                        .map(arrow -> arrow(arrow.getKey(), arrow.getValue()));
        return Stream.of(modules, libraries, node)
                .flatMap(rules -> rules)
                .map(rule -> Arguments.of(Named.of(rule.getDescription(), rule)));
    }

    /** {@code from} sees of the node itself and {@code to} only. */
    private static ArchRule arrow(String from, String... to) {
        DescribedPredicate<JavaClass> allowed =
                resideInAPackage("topspin.node." + from + "..").or(resideInAnyPackage(to));
        return noClasses()
                .that()
                .resideInAPackage("topspin.node." + from + "..")
                .should()
                .dependOnClassesThat(
                        resideInAPackage("topspin.node..").and(DescribedPredicate.not(allowed)))
                .as("node." + from + " looks down the way only")
                .because("rest → ingest → pool → ledger; only Node knows everyone")
                .allowEmptyShould(true);
    }

    private static DescribedPredicate<JavaClass> copiesFromInbox() {
        return DescribedPredicate.describe(
                "implements Inbox",
                type ->
                        type.getAllRawInterfaces().stream()
                                .anyMatch(face -> face.getName().equals("topspin.net.Inbox")));
    }

    private static DescribedPredicate<JavaClass> named(String name) {
        return DescribedPredicate.describe(
                name, type -> type.getName().equals(name) || type.getName().startsWith(name + "$"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rules")
    void anArrowHolds(ArchRule rule) {
        rule.check(CLASSES);
    }

    @Test
    void packagesOfAModuleDoNotGoRoundInCircles() {
        slices().matching("topspin.node.(*)..")
                .should()
                .beFreeOfCycles()
                .because("a circle is one package, or hides a third")
                .check(CLASSES);
    }

    @Test
    void agreementSeesCodecAlone() {
        noClasses()
                .that()
                .resideInAPackage("topspin.node.agreement..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("topspin.ledger..", "topspin.net..")
                .because(
                        "all else reaches it through its own small ports, so that it can be"
                                + " simulated")
                .allowEmptyShould(true)
                .check(CLASSES);
    }

    @Test
    void codecStartsNoThreadAndSaysNothing() {
        noClasses()
                .that()
                .resideInAPackage("topspin.codec..")
                .should()
                .dependOnClassesThat()
                .belongToAnyOf(Thread.class, Executor.class, System.Logger.class, PrintStream.class)
                .because("it is pure: its callers have the threads, and say what there is to say")
                .check(CLASSES);
    }

    @Test
    void everyModuleIsLookedAt() {
        assertThat(
                        CLASSES.stream()
                                .map(type -> type.getPackageName().split("\\.", 3)[1])
                                .distinct())
                .contains("codec", "ledger", "net", "loadgen", "node");
    }
}
