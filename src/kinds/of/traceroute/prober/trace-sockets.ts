// Opens the sockets that send the probes of a trace and receive the responses.

import {
  ICMP_FILTER,
  ICMP6_FILTER,
  IP_MTU_DISCOVER,
  IP_PMTUDISC_PROBE,
  IP_RECVERR,
  IP_RECVERR_RFC4884,
  IPPROTO_ICMP,
  IPPROTO_ICMPV6,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPPROTO_TCP,
  IPPROTO_UDP,
  IPV6_MTU_DISCOVER,
  IPV6_RECVERR,
  IPV6_RECVERR_RFC4884,
  SO_TIMESTAMPING,
  SOCK_DGRAM,
  SOCK_RAW,
  SOCK_STREAM,
  SOF_TIMESTAMPING_OPT_ID,
  SOF_TIMESTAMPING_OPT_TSONLY,
  SOF_TIMESTAMPING_RX_SOFTWARE,
  SOF_TIMESTAMPING_SOFTWARE,
  SOF_TIMESTAMPING_TX_SOFTWARE,
  SOL_RAW,
  SOL_SOCKET,
} from "../../../wire/kernel/kernel-layout.ts";
import {
  branch,
  type FilterInstruction,
  JUMP,
  LOAD_BYTE,
  LOAD_BYTE_INDEXED,
  LOAD_HALF,
  LOAD_HALF_INDEXED,
  LOAD_IP_HEADER_LENGTH,
  LOAD_WORD,
  LOAD_WORD_INDEXED,
  RETURN,
  step,
  WHOLE_PACKET,
} from "../../../wire/kernel/packet-filter.ts";
import type { SocketCalls } from "../../../wire/kernel/socket-calls.ts";
import type { SocketMode } from "../measurement.ts";
import { cookieBytes, type Flow, numberOf } from "./packet.ts";

/**
 * Bit masks in which a set bit blocks an ICMP type. Only echo replies and errors that count as
 * responses to a probe pass.
 */
const blockedIcmp4 = ~((1 << 0) | (1 << 3) | (1 << 11)) >>> 0;
const blockedIcmp6 = [
  ~0b1110 >>> 0,
  ~0 >>> 0,
  ~0 >>> 0,
  ~0 >>> 0,
  ~0b10 >>> 0,
  ~0 >>> 0,
  ~0 >>> 0,
  ~0 >>> 0,
];
const receiveStamps = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
const allStamps =
  receiveStamps |
  SOF_TIMESTAMPING_TX_SOFTWARE |
  SOF_TIMESTAMPING_OPT_ID |
  SOF_TIMESTAMPING_OPT_TSONLY;

const end = [step(RETURN, WHOLE_PACKET), step(RETURN, 0)] as const;

/**
 * Builds a filter that passes ICMP errors that quote a packet of the flow. Packets of raw IPv4
 * sockets start with the IP header.
 */
function buildErrorFilter(flow: Flow): FilterInstruction[] {
  const ports = flow.sourcePort * 65_536 + flow.targetPort;
  if (flow.family === "IPv6") {
    return [
      step(LOAD_BYTE, 8 + 6),
      branch(numberOf(flow), 3),
      step(LOAD_WORD, 8 + 40),
      branch(ports, 1),
      ...end,
    ];
  }
  return [
    step(LOAD_IP_HEADER_LENGTH, 0),
    step(LOAD_BYTE_INDEXED, 8 + 9),
    branch(numberOf(flow), 3),
    step(LOAD_WORD_INDEXED, 8 + 20),
    branch(ports, 1),
    ...end,
  ];
}

/** Builds a filter that passes echo replies and errors with the identifier of the flow. */
function buildEchoFilter(flow: Flow): FilterInstruction[] {
  const ident = flow.sourcePort;
  if (flow.family === "IPv6") {
    return [
      step(LOAD_BYTE, 0),
      branch(129, 2),
      step(LOAD_HALF, 4),
      step(JUMP, 1),
      step(LOAD_HALF, 8 + 40 + 4),
      branch(ident, 1),
      ...end,
    ];
  }
  return [
    step(LOAD_IP_HEADER_LENGTH, 0),
    step(LOAD_BYTE_INDEXED, 0),
    branch(0, 2),
    step(LOAD_HALF_INDEXED, 4),
    step(JUMP, 1),
    step(LOAD_HALF_INDEXED, 8 + 20 + 4),
    branch(ident, 1),
    ...end,
  ];
}

/** Builds a filter that passes TCP segments from the target's port to the port of this flow. */
function buildSegmentFilter(flow: Flow): FilterInstruction[] {
  const ports = flow.targetPort * 65_536 + flow.sourcePort;
  if (flow.family === "IPv6") return [step(LOAD_WORD, 0), branch(ports, 1), ...end];
  return [step(LOAD_IP_HEADER_LENGTH, 0), step(LOAD_WORD_INDEXED, 0), branch(ports, 1), ...end];
}

export interface TraceSockets {
  readonly mode: SocketMode;
  readonly flow: Flow;
  readonly sender: number;
  /** Socket that receives ICMP errors; `null` if the sending socket receives them. */
  readonly receiver: number | null;
  readonly all: readonly number[];
}

export type OpenResult =
  | { readonly sockets: TraceSockets }
  /**
   * Error number: there is no route to the target, or this host has no address of the IP family.
   */
  | { readonly noRoute: number }
  /**
   * Error numbers of the attempts to open a socket that this process may not open. `raw` is for the
   * raw socket, and `ping` for the unprivileged socket. `ping` is `null` for TCP, because TCP can
   * be traced only with raw sockets.
   */
  | { readonly denied: { readonly raw: number; readonly ping: number | null } }
  /** Error number: the process cannot open more sockets. */
  | { readonly exhausted: number };

type FlowRequest = Pick<Flow, "family" | "protocol" | "target" | "targetPort"> & {
  readonly random: (byteCount: number) => Uint8Array;
};

/**
 * Opens raw sockets if this process may open them. Otherwise opens an unprivileged socket, which
 * cannot trace TCP.
 */
export function openTraceSockets(calls: SocketCalls, request: FlowRequest): OpenResult {
  const opener = new Opener(calls, request);
  const result = opener.open();
  if (!("sockets" in result)) opener.closeAll();
  return result;
}

const permissionErrors: ReadonlySet<number> = new Set([1, 13]);

class Opener {
  readonly #calls: SocketCalls;
  readonly #request: FlowRequest;
  readonly #opened: number[] = [];

  constructor(calls: SocketCalls, request: FlowRequest) {
    this.#calls = calls;
    this.#request = request;
  }

  closeAll(): void {
    for (const fd of this.#opened) this.#calls.close(fd);
  }

  open(): OpenResult {
    const { family, protocol, target, targetPort } = this.#request;
    const guide = this.#open(SOCK_DGRAM, IPPROTO_UDP);
    if (guide < 0) return { exhausted: -guide };
    const routed = this.#calls.connect(guide, { address: target, port: targetPort || 9 });
    if (routed !== 0) return { noRoute: routed };
    const { address: source } = this.#calls.findName(guide);
    this.#closeOne(guide);
    const icmp = family === "IPv4" ? IPPROTO_ICMP : IPPROTO_ICMPV6;
    const raw = this.#open(SOCK_RAW, icmp);
    if (raw >= 0) return this.#openRaw(raw, source);
    if (!permissionErrors.has(-raw)) return { exhausted: -raw };
    if (protocol === "TCP") return { denied: { raw: -raw, ping: null } };
    const socket = this.#open(SOCK_DGRAM, protocol === "UDP" ? IPPROTO_UDP : icmp);
    if (socket < 0) {
      return permissionErrors.has(-socket)
        ? { denied: { raw: -raw, ping: -socket } }
        : { exhausted: -socket };
    }
    this.#calls.bind(socket, { address: new Uint8Array(source.length), port: 0 });
    this.#receiveErrors(socket);
    this.#prepareSender(socket);
    const flow = this.#buildFlow(source, this.#calls.findName(socket).port);
    return this.#finish("unprivileged", flow, socket, null);
  }

  #openRaw(icmp: number, source: Uint8Array): OpenResult {
    const { protocol } = this.#request;
    if (protocol === "ICMP") {
      const flow = this.#buildFlow(source, 0);
      this.#filterIcmp(icmp, buildEchoFilter(flow));
      this.#prepareSender(icmp);
      return this.#finish("raw", flow, icmp, null);
    }
    // Binding the socket reserves the source port. The TCP socket is not connected, so the kernel
    // answers the target's SYN-ACK with a reset.
    const type = protocol === "UDP" ? SOCK_DGRAM : SOCK_STREAM;
    const owner = this.#open(type, protocol === "UDP" ? IPPROTO_UDP : IPPROTO_TCP);
    if (owner < 0) return { exhausted: -owner };
    const bound = this.#calls.bind(owner, { address: new Uint8Array(source.length), port: 0 });
    if (bound !== 0) return { exhausted: bound };
    const flow = this.#buildFlow(source, this.#calls.findName(owner).port);
    this.#filterIcmp(icmp, buildErrorFilter(flow));
    this.#calls.setNumber(icmp, SOL_SOCKET, SO_TIMESTAMPING, receiveStamps);
    const sender = protocol === "UDP" ? owner : this.#open(SOCK_RAW, IPPROTO_TCP);
    if (sender < 0) return { exhausted: -sender };
    if (protocol === "TCP") this.#calls.setFilter(sender, buildSegmentFilter(flow));
    this.#prepareSender(sender);
    return this.#finish("raw", flow, sender, icmp);
  }

  #finish(mode: SocketMode, flow: Flow, sender: number, receiver: number | null): OpenResult {
    return { sockets: { mode, flow, sender, receiver, all: [...this.#opened] } };
  }

  #open(type: number, protocol: number): number {
    const fd = this.#calls.open(this.#request.family, type, protocol);
    if (fd >= 0) this.#opened.push(fd);
    return fd;
  }

  #closeOne(fd: number): void {
    this.#calls.close(fd);
    this.#opened.splice(this.#opened.indexOf(fd), 1);
  }

  #buildFlow(source: Uint8Array, port: number): Flow {
    const { random, ...request } = this.#request;
    const [high = 0, low = 0, sequenceHigh = 0, sequenceLow = 0] = random(4);
    return {
      ...request,
      source,
      sourcePort: port === 0 ? (high << 8) | low || 1 : port,
      cookie: random(cookieBytes),
      sequenceBase: (sequenceHigh << 8) | sequenceLow,
    };
  }

  #filterIcmp(fd: number, program: readonly FilterInstruction[]): void {
    this.#calls.setFilter(fd, program);
    if (this.#request.family === "IPv4") {
      this.#calls.setNumber(fd, SOL_RAW, ICMP_FILTER, blockedIcmp4);
    } else {
      this.#calls.setNumbers(fd, IPPROTO_ICMPV6, ICMP6_FILTER, blockedIcmp6);
    }
  }

  #receiveErrors(fd: number): void {
    if (this.#request.family === "IPv4") {
      this.#calls.setNumber(fd, IPPROTO_IP, IP_RECVERR, 1);
      this.#calls.setNumber(fd, IPPROTO_IP, IP_RECVERR_RFC4884, 1);
    } else {
      this.#calls.setNumber(fd, IPPROTO_IPV6, IPV6_RECVERR, 1);
      this.#calls.setNumber(fd, IPPROTO_IPV6, IPV6_RECVERR_RFC4884, 1);
    }
  }

  /**
   * Configures the sending socket: disables fragmentation, ignores the cached path MTU and requests
   * kernel timestamps.
   */
  #prepareSender(fd: number): void {
    if (this.#request.family === "IPv4") {
      this.#calls.setNumber(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE);
    } else {
      this.#calls.setNumber(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IP_PMTUDISC_PROBE);
    }
    this.#calls.setNumber(fd, SOL_SOCKET, SO_TIMESTAMPING, allStamps);
  }
}
