/**
 * The command line (cli.md, section 2): one class a command. Results go to stdout, everything else
 * to stderr; a refusal is one line and an exit status.
 */
@NullMarked
package topspin.node.commands;

import org.jspecify.annotations.NullMarked;
