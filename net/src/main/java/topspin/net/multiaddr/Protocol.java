package topspin.net.multiaddr;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;

/** The protocols that an address may name; those that go-multiaddr knows. */
public enum Protocol {
    IP4(4, "ip4", Form.IP4, 4),
    TCP(6, "tcp", Form.PORT, 2),
    DCCP(33, "dccp", Form.PORT, 2),
    IP6(41, "ip6", Form.IP6, 16),
    IP6ZONE(42, "ip6zone", Form.NAME, Protocol.VARIABLE),
    IPCIDR(43, "ipcidr", Form.NUMBER, 1),
    DNS(53, "dns", Form.NAME, Protocol.VARIABLE),
    DNS4(54, "dns4", Form.NAME, Protocol.VARIABLE),
    DNS6(55, "dns6", Form.NAME, Protocol.VARIABLE),
    DNSADDR(56, "dnsaddr", Form.NAME, Protocol.VARIABLE),
    SCTP(132, "sctp", Form.PORT, 2),
    UDP(273, "udp", Form.PORT, 2),
    P2P_WEBRTC_DIRECT(276, "p2p-webrtc-direct", Form.NONE, 0),
    WEBRTC_DIRECT(280, "webrtc-direct", Form.NONE, 0),
    WEBRTC(281, "webrtc", Form.NONE, 0),
    P2P_CIRCUIT(290, "p2p-circuit", Form.NONE, 0),
    UDT(301, "udt", Form.NONE, 0),
    UTP(302, "utp", Form.NONE, 0),
    UNIX(400, "unix", Form.PATH, Protocol.VARIABLE),
    P2P(421, "p2p", Form.PEER, Protocol.VARIABLE),
    HTTPS(443, "https", Form.NONE, 0),
    ONION(444, "onion", Form.ONION, 12),
    ONION3(445, "onion3", Form.ONION, 37),
    GARLIC64(446, "garlic64", Form.GARLIC64, Protocol.VARIABLE),
    GARLIC32(447, "garlic32", Form.GARLIC32, Protocol.VARIABLE),
    TLS(448, "tls", Form.NONE, 0),
    SNI(449, "sni", Form.NAME, Protocol.VARIABLE),
    NOISE(454, "noise", Form.NONE, 0),
    QUIC(460, "quic", Form.NONE, 0),
    QUIC_V1(461, "quic-v1", Form.NONE, 0),
    WEBTRANSPORT(465, "webtransport", Form.NONE, 0),
    CERTHASH(466, "certhash", Form.CERTIFICATE_HASH, Protocol.VARIABLE),
    WS(477, "ws", Form.NONE, 0),
    WSS(478, "wss", Form.NONE, 0),
    HTTP(480, "http", Form.NONE, 0),
    HTTP_PATH(481, "http-path", Form.HTTP_PATH, Protocol.VARIABLE),
    MEMORY(777, "memory", Form.NUMBER, 8),
    PLAINTEXTV2(7_367_777, "plaintextv2", Form.NONE, 0);

    /** How a value is written as text and which values there are. */
    enum Form {
        NONE,
        IP4,
        IP6,
        PORT,
        NUMBER,
        NAME,
        PATH,
        PEER,
        ONION,
        GARLIC64,
        GARLIC32,
        CERTIFICATE_HASH,
        HTTP_PATH
    }

    /** In place of a size: the value's length stands before it. */
    static final int VARIABLE = -1;

    private static final int DIRECT_MAX = 777;
    private static final @Nullable Protocol[] BY_CODE = new Protocol[DIRECT_MAX + 1];
    private static final Map<String, Protocol> BY_NAME = new HashMap<>();

    static {
        for (Protocol protocol : values()) {
            if (protocol.code <= DIRECT_MAX) {
                BY_CODE[protocol.code] = protocol;
            }
            BY_NAME.put(protocol.text, protocol);
        }
        BY_NAME.put("ipfs", P2P); // What it was called once.
    }

    private final int code;
    private final String text;
    private final Form form;
    private final int size;

    Protocol(int code, String text, Form form, int size) {
        this.code = code;
        this.text = text;
        this.form = form;
        this.size = size;
    }

    /** The number that stands for it in packed addresses. */
    public int code() {
        return code;
    }

    /** Its name in addresses. */
    public String text() {
        return text;
    }

    Form form() {
        return form;
    }

    /** Bytes of its value, 0 for none; or {@link #VARIABLE}. */
    int size() {
        return size;
    }

    /** The protocol with this code, or null. */
    public static @Nullable Protocol of(int code) {
        if (code >= 0 && code <= DIRECT_MAX) {
            return BY_CODE[code];
        }
        return code == PLAINTEXTV2.code ? PLAINTEXTV2 : null;
    }

    /** The protocol with this name, or null. */
    static @Nullable Protocol named(String text) {
        return BY_NAME.get(text);
    }
}
