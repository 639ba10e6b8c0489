package topspin.node.junit;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

import topspin.node.devmode.BlockMode;

import java.lang.reflect.Parameter;
import java.util.Optional;

/**
 * What {@link TopspinNetwork} does. A network lives in the store of the class or test that it was
 * made for, which closes it; nested classes and their tests find it there.
 */
final class TopspinExtension implements BeforeAllCallback, BeforeEachCallback, ParameterResolver {
    private static final Namespace NAMESPACE = Namespace.create(TopspinExtension.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        start(context);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        start(context);
    }

    /** Starts a network where the class or method itself asks for one. */
    private static void start(ExtensionContext context) {
        Optional<TopspinNetwork> asked =
                AnnotationSupport.findAnnotation(context.getElement(), TopspinNetwork.class);
        if (asked.isPresent()) {
            TopspinNetwork wish = asked.get();
            context.getStore(NAMESPACE)
                    .put(TestNetwork.class, TestNetwork.start(wish.nodes(), mode(wish)));
        }
    }

    private static BlockMode mode(TopspinNetwork wish) {
        return switch (wish.blocks()) {
            case INSTANT -> new BlockMode.Instant();
            case INTERVAL -> BlockMode.parse("interval:" + wish.interval());
            case MANUAL -> new BlockMode.Manual();
        };
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == TestNetwork.class
                || type == Endpoint.class
                || type == NetworkClock.class
                || type == Account.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        @Nullable TestNetwork network =
                context.getStore(NAMESPACE).get(TestNetwork.class, TestNetwork.class);
        if (network == null) {
            throw new ParameterResolutionException(
                    "no network for "
                            + parameter.getParameter()
                            + ": a network that a test alone asks for is not there before its"
                            + " class is made");
        }
        Class<?> type = parameter.getParameter().getType();
        if (type == TestNetwork.class) {
            return network;
        }
        if (type == Endpoint.class) {
            return network.endpoints().getFirst();
        }
        return type == NetworkClock.class ? network.clock() : account(parameter, network);
    }

    /** The account whose turn it is among the parameters of that type. */
    private static Account account(ParameterContext parameter, TestNetwork network) {
        int turn = 0;
        Parameter[] all = parameter.getDeclaringExecutable().getParameters();
        for (int i = 0; i < parameter.getIndex(); i++) {
            turn += all[i].getType() == Account.class ? 1 : 0;
        }
        if (turn >= network.accounts().size()) {
            throw new ParameterResolutionException(
                    "there are " + network.accounts().size() + " funded accounts");
        }
        return network.accounts().get(turn);
    }
}
