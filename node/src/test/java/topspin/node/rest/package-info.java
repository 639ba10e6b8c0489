@NullMarked
package topspin.node.rest;

import org.jspecify.annotations.NullMarked;
