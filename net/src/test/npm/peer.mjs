// A peer made of npm's libp2p: speaks to the node named on the command line, or listens for it, and tells on
// stdout, a JSON object a line, what it saw. Commands come on stdin, one a line.
if (!Promise.withResolvers) { // Node 20 has it not; the packages use it.
  Promise.withResolvers = function () {
    let resolve, reject
    const promise = new this((yes, no) => { resolve = yes; reject = no })
    return { promise, resolve, reject }
  }
}
const { createLibp2p } = await import('libp2p')
const { tcp } = await import('@libp2p/tcp')
const { noise } = await import('@libp2p/noise')
const { yamux } = await import('@libp2p/yamux')
const { gossipsub, StrictNoSign } = await import('@libp2p/gossipsub')
const { identify } = await import('@libp2p/identify')
const { ping } = await import('@libp2p/ping')
const { multiaddr } = await import('@multiformats/multiaddr')
const { createInterface } = await import('node:readline')
const { createHash } = await import('node:crypto')

const TOPIC = 'algotx01'
const TAGGED = '/algorand-ws/2.2.0'

const tell = (what, more = {}) => process.stdout.write(JSON.stringify({ what, ...more }) + '\n')
const digest = bytes => createHash('sha256').update(bytes).digest('hex')

const node = await createLibp2p({
  addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
  transports: [tcp()],
  connectionEncrypters: [noise()],
  streamMuxers: [yamux()],
  services: {
    identify: identify(),
    ping: ping(),
    pubsub: gossipsub({
      globalSignaturePolicy: 'StrictNoSign',
      allowPublishToZeroTopicPeers: true,
      // Ours to choose: whole data, hashed as it likes; two nodes need not agree on it.
      msgIdFn: message => createHash('sha256').update(message.data).digest()
    })
  }
})

// Tagged frames: the header block, then a length, a tag and a body.
let tagged
let dialled = false
let pending = Buffer.alloc(0)
let greeted = false
const header = genesis => {
  const text = value => Buffer.concat([Buffer.from([0xa0 | value.length]), Buffer.from(value)])
  const map = Buffer.concat([
    Buffer.from([0x82]),
    text('X-Algorand-Version'), Buffer.from([0x91]), text('2.2'),
    text('X-Algorand-Genesis'), Buffer.from([0x91]), text(genesis)
  ])
  const length = Buffer.alloc(2)
  length.writeUInt16BE(map.length)
  return Buffer.concat([length, map])
}
const genesis = process.argv[2]

async function write (bytes) {
  for (let at = 0; at < bytes.length; at += 60000) {
    if (!tagged.send(bytes.subarray(at, at + 60000))) {
      await tagged.onDrain()
    }
  }
}

function begin (stream) {
  tagged = stream
  stream.addEventListener('message', event => {
    pending = Buffer.concat([pending, Buffer.from(event.data.subarray())])
    read()
  })
  stream.addEventListener('close', () => tell('tagged stream closed'))
  if (dialled) {
    write(header(genesis))
  }
}

function read () {
  if (!greeted && pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
    greeted = true
    pending = pending.subarray(2 + pending.readUInt16BE(0))
    if (!dialled) {
      write(header(genesis))
    }
    tell('greeted')
  }
  while (greeted && pending.length >= 4 && pending.length >= 4 + pending.readUInt32BE(0)) {
    const end = 4 + pending.readUInt32BE(0)
    const body = pending.subarray(6, end)
    tell('frame', { tag: pending.toString('ascii', 4, 6), length: body.length, digest: digest(body) })
    pending = pending.subarray(end)
  }
}

await node.handle(TAGGED, stream => begin(stream), { runOnLimitedConnection: true })
node.services.pubsub.addEventListener('message', event => {
  tell('message', { length: event.detail.data.length, digest: digest(event.detail.data) })
})
node.addEventListener('peer:identify', event => {
  tell('identify', {
    peer: event.detail.peerId.toString(),
    agent: event.detail.agentVersion,
    protocols: event.detail.protocols,
    listen: event.detail.listenAddrs.map(String),
    record: event.detail.signedPeerRecord != null
  })
})
node.addEventListener('peer:disconnect', () => tell('disconnected'))
node.services.pubsub.addEventListener('gossipsub:graft', () => tell('graft'))
node.services.pubsub.subscribe(TOPIC)

const smaller = (one, other) =>
  Buffer.compare(Buffer.from(one.toMultihash().bytes), Buffer.from(other.toMultihash().bytes)) < 0

node.addEventListener('peer:connect', async event => {
  const peer = event.detail
  dialled = node.getConnections(peer)[0].direction === 'outbound'
  tell('connected', { peer: peer.toString(), dialled })
  if (smaller(node.peerId, peer)) {
    begin(await node.getConnections(peer)[0].newStream(TAGGED))
  }
})

tell('listening', { peer: node.peerId.toString(), address: node.getMultiaddrs()[0].toString() })

const commands = {
  dial: async address => { await node.dial(multiaddr(address)) },
  ping: async peer => tell('pong', { millis: await node.services.ping.ping(node.getConnections()[0].remotePeer) }),
  publish: async length => {
    const data = Buffer.alloc(Number(length), 0x5a)
    const { recipients } = await node.services.pubsub.publish(TOPIC, data)
    tell('published', { recipients: recipients.length, digest: digest(data) })
  },
  frame: async rest => {
    const [tag, length] = rest.split(' ')
    const frame = Buffer.alloc(6 + Number(length), 0x5b)
    frame.writeUInt32BE(2 + Number(length), 0)
    frame.write(tag, 4, 'ascii')
    await write(frame)
    tell('framed', { digest: digest(frame.subarray(6)) })
  },
  stop: async () => { await node.stop(); process.exit(0) }
}

for await (const line of createInterface({ input: process.stdin })) {
  const [name, ...rest] = line.split(' ')
  try {
    await commands[name](rest.join(' '))
  } catch (fault) {
    tell('fault', { text: String(fault.stack ?? fault) })
  }
}
