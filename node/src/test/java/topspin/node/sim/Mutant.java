package topspin.node.sim;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import org.jspecify.annotations.Nullable;

import topspin.codec.params.ConsensusParams;
import topspin.node.agreement.Player;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * A class of agreement's with one place changed.
 *
 * @param name what the change amounts to
 * @param type simple name of the class
 * @param before what stands in its source, once
 * @param after what stands there instead
 * @param seeds runs that show the change, as far as known
 */
record Mutant(String name, String type, String before, String after, long... seeds) {
    private static final String CHANGED = "topspin.node.agreement.";
    private static final String RUNNING = "topspin.node.sim.";

    /** Runs one seed, with the change in place. */
    interface Runner {
        /** Null, or what went wrong. */
        @Nullable String fault(long seed);
    }

    /**
     * The simulation over the changed class.
     *
     * @throws IllegalStateException if the change does not apply or compile
     */
    Runner compile() {
        Path root = Path.of(System.getProperty("topspin.root", ".."));
        Path file =
                root.resolve("node/src/main/java/topspin/node/agreement").resolve(type + ".java");
        String source;
        try {
            source = Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        int at = source.indexOf(before);
        if (at < 0 || source.indexOf(before, at + 1) >= 0) {
            throw new IllegalStateException(name + ": to be changed once, in " + file);
        }
        String changed = source.substring(0, at) + after + source.substring(at + before.length());
        return runner(new Classes(compile(changed)));
    }

    private Map<String, byte[]> compile(String source) {
        JavaCompiler compiler = requireNonNull(ToolProvider.getSystemJavaCompiler());
        var log = new StringWriter();
        var out = new Memory(compiler.getStandardFileManager(null, null, UTF_8));
        var unit =
                new SimpleJavaFileObject(
                        URI.create("mem:///" + type + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        List<String> options =
                List.of("-proc:none", "-implicit:none", "-nowarn", "-cp", classPath());
        if (!compiler.getTask(log, out, null, options, null, List.of(unit)).call()) {
            throw new IllegalStateException(name + " does not compile: " + log);
        }
        return out.classes();
    }

    private static String classPath() {
        return Stream.of(Player.class, ConsensusParams.class, Nullable.class)
                .map(type -> type.getProtectionDomain().getCodeSource().getLocation())
                .map(location -> Path.of(URI.create(location.toString())).toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Runner runner(Classes classes) {
        try {
            var fault = classes.loadClass(RUNNING + "Simulation").getMethod("fault", long.class);
            return seed -> {
                try {
                    return (String) fault.invoke(null, seed);
                } catch (ReflectiveOperationException impossible) {
                    throw new LinkageError("fault(long) takes a seed", impossible);
                }
            };
        } catch (ReflectiveOperationException impossible) {
            throw new LinkageError("the simulation has fault(long)", impossible);
        }
    }

    /** Keeps what the compiler writes. */
    private static final class Memory extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> written = new HashMap<>();

        Memory(JavaFileManager files) {
            super(files);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject from) {
            assert location == StandardLocation.CLASS_OUTPUT;
            var bytes = new ByteArrayOutputStream();
            written.put(className, bytes);
            return new SimpleJavaFileObject(URI.create("mem:///" + className), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return bytes;
                }
            };
        }

        Map<String, byte[]> classes() {
            Map<String, byte[]> classes = new HashMap<>();
            written.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
            return classes;
        }
    }

    /** Agreement and simulation once more, with some classes changed. */
    private static final class Classes extends ClassLoader {
        private final Map<String, byte[]> changed;

        Classes(Map<String, byte[]> changed) {
            super(Mutant.class.getClassLoader());
            this.changed = changed;
            setDefaultAssertionStatus(true);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(CHANGED) && !name.startsWith(RUNNING)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                return known != null ? known : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            byte[] bytes = changed.get(name);
            if (bytes == null) {
                try (InputStream in =
                        getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
                    if (in == null) {
                        throw new ClassNotFoundException(name);
                    }
                    bytes = in.readAllBytes();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
            return defineClass(name, bytes, 0, bytes.length);
        }
    }
}
