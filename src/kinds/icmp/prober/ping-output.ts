// Parses the output of the iputils and BusyBox `ping` commands. Pure.

export interface PingReply {
  /** Starts at 0 for both. */
  readonly sequence: number;
  readonly rttMs: number;
  readonly ttl: number | null;
  readonly duplicate: boolean;
}

export interface PingFailure {
  readonly sequence: number;
  readonly message: string;
}

export interface PingOutput {
  readonly replies: readonly PingReply[];
  readonly failures: readonly PingFailure[];
}

const REPLY =
  /^\d+ bytes from \S+ (?:\(\S+\): |)?(icmp_seq|seq)=(\d{1,5}) .*?time[=<]([\d.]+) ?ms(.*)$/;
const TTL = /\b(?:ttl|hlim)=(\d{1,3})\b/;
const FAILURE = /^From \S+ (?:\(\S+\) )?icmp_seq=(\d{1,5}) (.{1,200})$/;
const MAX_LINES = 1000;

/** iputils prints icmp_seq and starts at 1; BusyBox prints seq and starts at 0. */
export function parsePingOutput(text: string, pingCount: number): PingOutput {
  const replies: PingReply[] = [];
  const failures: PingFailure[] = [];
  const isKnown = (sequence: number) => sequence >= 0 && sequence < pingCount;
  for (const line of text.split("\n", MAX_LINES)) {
    const reply = parseReply(line);
    if (reply !== null && isKnown(reply.sequence)) replies.push(reply);
    const failure = FAILURE.exec(line);
    const sequence = Number(failure?.[1] ?? 0) - 1;
    if (failure !== null && isKnown(sequence)) {
      failures.push({ sequence, message: failure[2] ?? "" });
    }
  }
  return { replies, failures };
}

function parseReply(line: string): PingReply | null {
  const match = REPLY.exec(line);
  if (match === null) return null;
  const rttMs = Number(match[3]);
  if (!Number.isFinite(rttMs)) return null;
  const ttl = TTL.exec(line)?.[1];
  return {
    sequence: Number(match[2]) - (match[1] === "icmp_seq" ? 1 : 0),
    rttMs,
    ttl: ttl === undefined ? null : Number(ttl),
    duplicate: (match[4] ?? "").includes("DUP"),
  };
}
