package topspin.node.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code topspin fund}: money for a new account, from the network's first wallet. */
@Command(
        name = "fund",
        description =
                "Pays play money from the network's first wallet and waits for the round that holds"
                        + " it.",
        footer = {
            "",
            "Example:",
            "  topspin fund QE4XODVIPULV6VVDKRTMGTD6ZTFY3CURWTXDPIS56YHVXD6JWOKORTLPBU"
        })
public final class FundCommand implements Runnable {
    @Parameters(paramLabel = "ADDRESS", description = "Who is paid.")
    private String address = "";

    @Option(
            names = "--amount",
            paramLabel = "MICROALGOS",
            description = "How much (default: ${DEFAULT-VALUE}, ten algos).",
            defaultValue = "10000000")
    private String amount = "";

    @Mixin private Target target = new Target();
    @Mixin private Output output = new Output();

    @Override
    public void run() {
        SendCommand.pay(
                target, output, SendCommand.wallet(target).entries().get(0), address, amount);
    }
}
