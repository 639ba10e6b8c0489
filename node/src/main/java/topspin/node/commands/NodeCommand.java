package topspin.node.commands;

import picocli.CommandLine.Command;

@Command(name = "node")
public final class NodeCommand {}
