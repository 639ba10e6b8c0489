package topspin.node;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;

import org.slf4j.LoggerFactory;

import java.nio.file.Path;

/**
 * The file {@code node.log}: what the process logs from informational lines on, 8 MiB at a time,
 * the last four files kept. Nodes in one process share what is logged; each has it in its own file.
 */
final class NodeLog implements AutoCloseable {
    private static final FileSize FILE_BYTES_MAX = new FileSize(8L << 20);
    private static final int OLD_FILES = 3;

    private final Logger root;
    private final RollingFileAppender<ILoggingEvent> appender;

    private NodeLog(Logger root, RollingFileAppender<ILoggingEvent> appender) {
        this.root = root;
        this.appender = appender;
    }

    /**
     * Begins to write the file.
     *
     * @throws NodeFault if it cannot be written
     */
    static NodeLog open(Path file) throws NodeFault {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)) {
            throw NodeFault.configuration("the class path holds another logging library");
        }
        var encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern(
                "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level [%thread] %logger{24} %msg%n");
        encoder.start();

        var appender = new RollingFileAppender<ILoggingEvent>();
        appender.setContext(context);
        appender.setName(file.toString());
        appender.setFile(file.toString());
        appender.setEncoder(encoder);

        var rolling = new FixedWindowRollingPolicy();
        rolling.setContext(context);
        rolling.setParent(appender);
        rolling.setFileNamePattern(file + ".%i");
        rolling.setMinIndex(1);
        rolling.setMaxIndex(OLD_FILES);
        rolling.start();

        var trigger = new SizeBasedTriggeringPolicy<ILoggingEvent>();
        trigger.setContext(context);
        trigger.setMaxFileSize(FILE_BYTES_MAX);
        trigger.start();

        appender.setRollingPolicy(rolling);
        appender.setTriggeringPolicy(trigger);
        appender.start();
        if (!appender.isStarted()) {
            throw NodeFault.machine(file + ": cannot be written", null);
        }
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(appender);
        return new NodeLog(root, appender);
    }

    @Override
    public void close() {
        root.detachAppender(appender);
        appender.stop();
    }
}
