import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Finishes the distribution in folder {@code HOME}: leaves in its libraries only the natives of the
 * platforms we ship (Linux x64 and arm64 with glibc and musl, macOS arm64; RocksDB's jar alone
 * shrinks by two thirds), then stamps it, which tells the launcher of a checkout how old it is.
 */
final class Distribution {
    private static final List<String> ROCKSDB_KEPT =
            List.of(
                    "librocksdbjni-linux64.so",
                    "librocksdbjni-linux64-musl.so",
                    "librocksdbjni-linux-aarch64.so",
                    "librocksdbjni-linux-aarch64-musl.so",
                    "librocksdbjni-osx-arm64.jnilib");
    private static final List<String> ZSTD_KEPT =
            List.of("linux/amd64/", "linux/aarch64/", "darwin/aarch64/");
    private static final String SQLITE_NATIVES = "org/sqlite/native/";
    private static final List<String> SQLITE_KEPT =
            List.of(
                    "Linux/x86_64/",
                    "Linux/aarch64/",
                    "Linux-Musl/x86_64/",
                    "Linux-Musl/aarch64/",
                    "Mac/aarch64/");

    public static void main(String[] arguments) throws IOException {
        Path home = Path.of(arguments[0]);
        try (Stream<Path> jars = Files.list(home.resolve("lib"))) {
            for (Path jar : jars.toList()) {
                String name = jar.getFileName().toString();
                if (name.startsWith("rocksdbjni-")) {
                    rewrite(
                            jar,
                            entry ->
                                    !entry.startsWith("librocksdbjni-")
                                            || ROCKSDB_KEPT.contains(entry));
                } else if (name.startsWith("sqlite-jdbc-")) {
                    rewrite(
                            jar,
                            entry ->
                                    !entry.startsWith(SQLITE_NATIVES)
                                            || SQLITE_KEPT.stream()
                                                    .anyMatch(
                                                            kept ->
                                                                    entry.startsWith(
                                                                            SQLITE_NATIVES
                                                                                    + kept)));
                } else if (name.startsWith("zstd-jni-")) {
                    rewrite(
                            jar,
                            entry ->
                                    !isZstdNative(entry)
                                            || ZSTD_KEPT.stream().anyMatch(entry::startsWith));
                }
            }
        }
        Files.writeString(home.resolve(".packaged"), "");
    }

    private static boolean isZstdNative(String entry) {
        return entry.contains("libzstd-jni") && !entry.endsWith(".class");
    }

    private static void rewrite(Path jar, Predicate<String> kept) throws IOException {
        Path trimmed = jar.resolveSibling(jar.getFileName() + ".trimmed");
        try (var in = new ZipInputStream(Files.newInputStream(jar));
                var out = new ZipOutputStream(Files.newOutputStream(trimmed))) {
            for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
                if (kept.test(entry.getName())) {
                    var copy = new ZipEntry(entry.getName());
                    copy.setTimeLocal(entry.getTimeLocal());
                    out.putNextEntry(copy);
                    in.transferTo(out);
                }
            }
        }
        Files.move(trimmed, jar, StandardCopyOption.REPLACE_EXISTING);
    }
}
