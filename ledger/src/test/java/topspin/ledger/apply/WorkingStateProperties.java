package topspin.ledger.apply;

import static org.junit.jupiter.api.Assertions.assertEquals;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.jspecify.annotations.Nullable;

import topspin.codec.Address;
import topspin.ledger.account.Account;
import topspin.ledger.account.AssetRecord;
import topspin.ledger.account.Holding;
import topspin.ledger.account.StateReader;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;

/** Groups that stay and groups that go, against a model that copies everything. */
class WorkingStateProperties {
    private static final int ADDRESSES = 3_000;
    private static final int ASSETS = 4;

    /** Everything of a moment; copied for each group. */
    private record Model(
            Map<Address, Account> accounts,
            Map<Long, Holding> holdings,
            Set<Address> accountsWritten,
            Set<Long> holdingsWritten) {
        Model() {
            this(new HashMap<>(), new HashMap<>(), new HashSet<>(), new HashSet<>());
        }

        Model copy() {
            return new Model(
                    new HashMap<>(accounts),
                    new HashMap<>(holdings),
                    new HashSet<>(accountsWritten),
                    new HashSet<>(holdingsWritten));
        }
    }

    /** Every account below has a balance that its address tells; nobody holds anything. */
    private static final StateReader BASE =
            new StateReader() {
                @Override
                public Account account(Address address) {
                    return Account.EMPTY.withBalance(address.toBytes()[1] & 0xff);
                }

                @Override
                public @Nullable Holding holding(Address address, long asset) {
                    return null;
                }

                @Override
                public @Nullable AssetRecord asset(long asset) {
                    return null;
                }
            };

    @Property(tries = 50)
    void showsWhatTheModelShows(@ForAll long seed) {
        Random random = new Random(seed);
        WorkingState state = new WorkingState(BASE);
        Model model = new Model();
        for (int group = 0; group < 60; group++) {
            Model child = model.copy();
            state.begin();
            List<Address> writtenInOrder = new ArrayList<>();
            for (int step = random.nextInt(40); step > 0; step--) {
                step(random, state, child, writtenInOrder);
            }
            List<Address> shown = new ArrayList<>();
            state.firstOfGroup(
                    (address, account) -> {
                        shown.add(address);
                        return null;
                    });
            assertEquals(writtenInOrder, shown);
            if (random.nextBoolean()) {
                state.commit();
                model = child;
            } else {
                state.rollback();
            }
            if (random.nextInt(8) == 0) {
                state = goOnWithACopy(random, state, model);
            }
        }
        compare(state, model);
    }

    /** What is done to the one shows in the other no more. */
    private static WorkingState goOnWithACopy(Random random, WorkingState state, Model model) {
        WorkingState copy = state.copy();
        state.forEachAccount(
                (address, before, after) -> assertEquals(state.turn(address), copy.turn(address)));
        WorkingState left = random.nextBoolean() ? state : copy;
        Model itsOwn = model.copy();
        left.begin();
        for (int i = 0; i < 20; i++) {
            step(random, left, itsOwn, new ArrayList<>());
        }
        left.commit();
        return left == state ? copy : state;
    }

    private static void step(
            Random random, WorkingState state, Model model, List<Address> writtenInOrder) {
        int number = random.nextInt(ADDRESSES);
        Address address = address(number);
        long asset = 1 + random.nextInt(ASSETS);
        Account known = model.accounts.getOrDefault(address, BASE.account(address));
        assertEquals(known, state.account(address));
        long key = number * 100L + asset;
        assertEquals(model.holdings.get(key), state.holding(address, asset));
        if (random.nextInt(3) > 0) {
            Account next = known.withBalance(random.nextInt(1_000));
            state.putAccount(address, next);
            model.accounts.put(address, next);
            model.accountsWritten.add(address);
            if (!writtenInOrder.contains(address)) {
                writtenInOrder.add(address);
            }
        } else {
            Holding next = random.nextBoolean() ? new Holding(random.nextInt(9), false) : null;
            state.putHolding(address, asset, next);
            model.holdingsWritten.add(key);
            if (next == null) {
                model.holdings.remove(key);
            } else {
                model.holdings.put(key, next);
            }
        }
    }

    private static void compare(WorkingState state, Model model) {
        List<Address> order = new ArrayList<>();
        state.forEachAccount(
                (address, before, after) -> {
                    order.add(address);
                    assertEquals(BASE.account(address), before);
                    assertEquals(model.accounts.get(address), after);
                });
        assertEquals(model.accountsWritten, new HashSet<>(order));
        assertEquals(order.stream().sorted().toList(), order);
        Set<Long> holdings = new HashSet<>();
        state.forEachHolding(
                (address, asset, before, after) -> {
                    long key = number(address) * 100L + asset;
                    holdings.add(key);
                    assertEquals(null, before);
                    assertEquals(model.holdings.get(key), after);
                });
        assertEquals(model.holdingsWritten, holdings);
    }

    private static Address address(int number) {
        byte[] bytes = new byte[32];
        bytes[0] = 1;
        bytes[1] = (byte) (number * 31);
        bytes[30] = (byte) (number >> 8);
        bytes[31] = (byte) number;
        return Address.of(bytes, 0);
    }

    private static int number(Address address) {
        byte[] bytes = Objects.requireNonNull(address).toBytes();
        return (bytes[30] & 0xff) << 8 | (bytes[31] & 0xff);
    }
}
