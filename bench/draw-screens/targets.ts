/** Targets of the checks in the screenshots: servers on this machine, some of them broken. */
import { createSocket } from "node:dgram";
import { once } from "node:events";
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import tls from "node:tls";
import { makeCertificate } from "../../test/support/certificates/make-certificate.ts";
import { replyTo, writeDnsRecord } from "../../test/support/servers/dns-server.ts";

const dayMs = 86_400_000;
const slowMs = 450;

export interface Targets {
  readonly httpUrl: string;
  readonly tcpPort: number;
  readonly tlsPort: number;
  readonly dnsPort: number;
  /** A port without a listener. */
  readonly closedPort: number;
  /** Receiver of alert channels. */
  readonly hookUrl: string;
  readonly stop: () => void;
}

async function listen(server: net.Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function answer(request: http.IncomingMessage, reply: http.ServerResponse): void {
  const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
  const json = { "content-type": "application/json" };
  request.resume();
  if (path === "/broken") reply.writeHead(500, json).end('{"error":"no connection to db-1"}');
  else if (path === "/moved") reply.writeHead(301, { location: "/health" }).end();
  else if (path === "/slow") setTimeout(() => reply.writeHead(200, json).end("{}"), slowMs);
  else reply.writeHead(200, json).end('{"status":"ok","queue":{"length":3,"oldestSeconds":12}}');
}

async function startDns(): Promise<{ readonly port: number; readonly stop: () => void }> {
  const socket = createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    // Anything may send to the port: a header alone asks nothing.
    if (query.length <= 12) return;
    const record = writeDnsRecord(1, [192, 0, 2, 10]);
    socket.send(replyTo(query, { answers: [record] }), port, address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return { port: socket.address().port, stop: () => socket.close() };
}

export async function startTargets(): Promise<Targets> {
  const web = http.createServer(answer);
  const plain = net.createServer((socket) => {
    socket.on("error", () => {});
    socket.write("220 mail.example ready\r\n");
  });
  const root = makeCertificate({ name: "Example Root", isAuthority: true });
  const names = ["shop.example"];
  const { cert, key } = makeCertificate({
    names,
    issuer: root,
    validToMs: Date.now() + 12 * dayMs,
  });
  const secure = tls.createServer({ cert, key }, (socket) => socket.on("error", () => {}));
  secure.on("tlsClientError", () => {});
  const gone = net.createServer();
  const closedPort = await listen(gone);
  gone.close();
  const httpPort = await listen(web);
  const [tcpPort, tlsPort, dns] = [await listen(plain), await listen(secure), await startDns()];
  return {
    httpUrl: `http://127.0.0.1:${httpPort}`,
    hookUrl: `http://127.0.0.1:${httpPort}/hook`,
    tcpPort,
    tlsPort,
    dnsPort: dns.port,
    closedPort,
    stop: () => {
      for (const server of [web, plain, secure]) server.close();
      web.closeAllConnections();
      dns.stop();
    },
  };
}
