import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.ImportOrderer;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.RemoveUnusedImports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Checks or rewrites our sources in google-java-format's AOSP flavour: {@code check|write ROOT}. */
final class Format {
    private static final List<String> MODULES = List.of("codec", "ledger", "net", "loadgen", "node");

    public static void main(String[] arguments) throws Exception {
        boolean write = arguments[0].equals("write");
        Path root = Path.of(arguments[1]);
        var formatter =
                new Formatter(
                        JavaFormatterOptions.builder()
                                .style(JavaFormatterOptions.Style.AOSP)
                                .build());
        List<Path> different = new ArrayList<>();
        for (Path file : sources(root)) {
            String before = Files.readString(file);
            String imports = ImportOrderer.reorderImports(RemoveUnusedImports.removeUnusedImports(before), JavaFormatterOptions.Style.AOSP);
            String after = formatter.formatSource(imports);
            if (!after.equals(before)) {
                different.add(root.relativize(file));
                if (write) {
                    Files.writeString(file, after);
                }
            }
        }
        if (!write && !different.isEmpty()) {
            different.forEach(file -> System.err.println("not formatted: " + file));
            System.err.println("Run: mvn -Pformat validate -N");
            System.exit(1);
        }
    }

    private static List<Path> sources(Path root) throws IOException {
        List<Path> files = new ArrayList<>();
        for (String module : MODULES) {
            Path folder = root.resolve(module).resolve("src");
            if (Files.isDirectory(folder)) {
                try (Stream<Path> all = Files.walk(folder)) {
                    all.filter(path -> path.toString().endsWith(".java")).forEach(files::add);
                }
            }
        }
        return files;
    }
}
