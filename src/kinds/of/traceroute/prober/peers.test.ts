/** Compares traces with those of Debian's traceroute and mtr, and round trips with a capture. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { needsNamespaces } from "../../../../../test/support/programs/icmp-child.ts";
import { findLack } from "../../../../../test/support/programs/programs.ts";
import {
  buildOpenChain,
  makeTrace,
  measured,
  pathOf,
  readTraces,
  right,
  right6,
  runAsProbe,
  traceCommand,
} from "../../../../../test/support/programs/routers.ts";
import { probesPerHop, protocols, type TracerouteMeasurement } from "../measurement.ts";
import { numberOf } from "./packet.ts";

const skip = needsNamespaces || findLack("traceroute", "mtr", "tcpdump");
const toleranceMs = 0.05;
const marker = "end-of-capture";
/** The buffer has room for only 30 packets of unlimited length, fewer than traces send at once. */
const captureOptions = "-s 256 --immediate-mode --time-stamp-precision=nano";

const requests = protocols.flatMap((protocol) => [
  makeTrace(right(3), { protocol }),
  makeTrace(right6(3), { protocol }),
]);

let folder: string;
let ours: readonly TracerouteMeasurement[] = [];

const peerOptions = {
  ICMP: { traceroute: "-I", mtr: "" },
  UDP: { traceroute: "-U -p 33434", mtr: "--udp" },
  TCP: { traceroute: "-T -p 33434", mtr: "--tcp --port 33434" },
} as const;

/** Captures our traces, then lets the peers trace the same paths. */
function buildScript(): string {
  const list = requests.map(({ hostname, protocol }, index) => {
    const options = peerOptions[protocol];
    return (
      `traceroute -n -q 1 -w 2 ${options.traceroute} ${hostname} > traceroute-${index} &\n` +
      `mtr -n -r -j -c 3 -i 0.2 -G 1 ${options.mtr} ${hostname} > mtr-${index} &`
    );
  });
  return [
    "set -e",
    `cd ${folder}; mkfifo told`,
    `tcpdump -Z root -U ${captureOptions} -i l0 -w wire 2> told & capture=$!`,
    // tcpdump reports when it listens.
    "exec 3< told; read line <&3",
    `"$@" > ours`,
    // Packets are captured in order, so everything was captured if the last one was.
    `until grep -qa ${marker} wire; do echo ${marker} > /dev/udp/${right(0)}/9; done`,
    "kill -INT $capture; wait $capture",
    ...list,
    "wait",
  ].join("\n");
}

before(() => {
  if (skip !== false) return;
  folder = mkdtempSync(join(tmpdir(), "vedette-peers-"));
  const command = ["bash", "-c", buildScript(), "bash", ...traceCommand(requests)];
  runAsProbe(buildOpenChain(3), command);
  ours = readTraces(readFileSync(join(folder, "ours"), "utf8")).map(measured);
});
after(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

const read = (name: string, index: number) =>
  readFileSync(join(folder, `${name}-${index}`), "utf8");

test("traceroute and mtr report the same hops", { skip }, () => {
  for (const [index, { protocol, ipFamily }] of requests.entries()) {
    const path = ours[index] === undefined ? [] : pathOf(ours[index]);
    const lines = read("traceroute", index).trim().split("\n").slice(1);
    const name = `${protocol} over ${ipFamily}`;
    assert.deepEqual(
      lines.map((line) => line.trim().split(/\s+/)[1]),
      path,
      `traceroute, ${name}`,
    );
    const hosts = [...read("mtr", index).matchAll(/"host": "([^"]+)"/g)].map(([, host]) => host);
    assert.deepEqual(hosts, path, `mtr, ${name}`);
  }
});

interface Packet {
  readonly stampNs: bigint;
  /** Version and protocol. */
  readonly flow: string;
  readonly protocol: number;
  readonly hopLimit: number;
  /** From the transport header on. */
  readonly rest: Buffer;
}

const nanosecondMagic = 0xa1b2_3c4d;
const fileHeaderBytes = 24;
const recordHeaderBytes = 16;
const ethernetBytes = 14;

function listPackets(file: Buffer): Packet[] {
  assert.equal(file.readUInt32LE(0), nanosecondMagic);
  const packets: Packet[] = [];
  let at = fileHeaderBytes;
  while (at + recordHeaderBytes <= file.length) {
    const [seconds, nanoseconds] = [file.readUInt32LE(at), file.readUInt32LE(at + 4)];
    const stampNs = BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);
    const end = at + recordHeaderBytes + file.readUInt32LE(at + 8);
    const ip = readIp(file.subarray(at + recordHeaderBytes + ethernetBytes, end));
    if (ip !== null) packets.push({ ...ip, stampNs });
    at = end;
  }
  return packets;
}

function readIp(bytes: Buffer): Omit<Packet, "stampNs"> | null {
  const [first = 0] = bytes;
  const version = first >>> 4;
  if (version !== 4 && version !== 6) return null;
  const [protocolAt, limitAt, length] = version === 4 ? [9, 8, (first & 15) * 4] : [6, 7, 40];
  const { [protocolAt]: protocol = 0, [limitAt]: hopLimit = 0 } = bytes;
  return { flow: `IPv${version} ${protocol}`, protocol, hopLimit, rest: bytes.subarray(length) };
}

/** Names a probe by what no two probes share: identifier and sequence, or ports and payload. */
function nameProbe({ protocol, rest }: Pick<Packet, "protocol" | "rest">): string {
  const ports = rest.toString("hex", 0, 4);
  if (protocol === 6) return `${ports} ${rest.toString("hex", 4, 8)}`;
  return protocol === 17 ? `${ports} ${rest.toString("hex", 8, 20)}` : rest.toString("hex", 4, 8);
}

/** Returns the name of the probe that a packet responds to, or `null`. */
function nameCause({ protocol, rest }: Packet): string | null {
  if (protocol === 17) return null;
  if (protocol === 6) {
    const sequence = Buffer.alloc(4);
    sequence.writeUInt32BE((rest.readUInt32BE(8) - 1) >>> 0);
    return `${rest.toString("hex", 2, 4)}${rest.toString("hex", 0, 2)} ${sequence.toString("hex")}`;
  }
  const [type] = rest;
  if (type === 0 || type === 129) return nameProbe({ protocol, rest });
  const quoted = readIp(rest.subarray(8));
  return quoted === null ? null : nameProbe(quoted);
}

/** Round trips on the wire by flow and hop limit, in the order sent. */
function listWireTimes(packets: readonly Packet[]): Map<string, number[]> {
  const sent = new Map<string, Packet>();
  const backMs = new Map<string, number>();
  for (const packet of packets) {
    const cause = nameCause(packet);
    const probe = cause === null ? undefined : sent.get(cause);
    if (cause === null || probe === undefined) sent.set(nameProbe(packet), packet);
    else backMs.set(cause, Number(packet.stampNs - probe.stampNs) / 1e6);
  }
  const times = new Map<string, number[]>();
  for (const [name, { flow, hopLimit }] of sent) {
    const ms = backMs.get(name);
    const key = `${flow} ${hopLimit}`;
    if (ms !== undefined) times.set(key, [...(times.get(key) ?? []), ms]);
  }
  return times;
}

test("round trips are within 50 µs of a packet capture", { skip }, () => {
  const times = listWireTimes(listPackets(readFileSync(join(folder, "wire"))));
  const differences: number[] = [];
  for (const [index, { protocol, ipFamily }] of requests.entries()) {
    const number = numberOf({ protocol, family: ipFamily });
    for (const [place, { rttsMs }] of (ours[index]?.hops ?? []).entries()) {
      const onWire = times.get(`${ipFamily} ${number} ${place + 1}`) ?? [];
      assert.equal(onWire.length, rttsMs.length, `${protocol} over ${ipFamily}, hop ${place + 1}`);
      for (const [probe, rttMs] of rttsMs.entries()) {
        differences.push(Math.abs(rttMs - (onWire[probe] ?? Number.NaN)));
      }
    }
  }
  assert.equal(differences.length, requests.length * 4 * probesPerHop);
  // The kernel can be interrupted between the timestamp of the capture and that of the device.
  const far = differences.filter((ms) => !(ms <= toleranceMs));
  assert.ok(far.length <= 2, `${far} ms`);
});
