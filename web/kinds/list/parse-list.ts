import { dnsTarget } from "../dns/target.ts";
import { guessKind, listOtherGuesses, proposeName } from "../guess-kind.ts";
import { findFamily, hasScheme, writeEndpoint } from "../host-text.ts";
import { icmpTarget } from "../icmp/target.ts";
import type { KindTarget } from "../kind-target.ts";
import { sslTarget } from "../ssl/target.ts";
import { tcpTarget } from "../tcp/target.ts";
import { urlTarget } from "../url/target.ts";
import { type Row, readJsonRows, readRows } from "./read-rows.ts";

/** As many as the API takes at once, and more text than they need. */
export const maxItems = 500;
export const maxListLength = 200_000;

export interface ListItem {
  readonly line: number;
  readonly checkType: string;
  readonly name: string;
  readonly target: string;
  /** A bare host name: it may mean a check of another kind, which is offered for all of them. */
  readonly isBareName: boolean;
}

/** A line of which no check is made, and why. */
export interface LeftOut {
  readonly line: number;
  readonly text: string;
  readonly reason: "not-understood" | "duplicate" | "too-many" | "no-target";
  /** The line that it repeats. */
  readonly of?: number;
}

export interface ParsedList {
  readonly items: readonly ListItem[];
  readonly leftOut: readonly LeftOut[];
  readonly isCut: boolean;
}

/** What other tools call the kinds. */
const typeNames: Readonly<Record<string, KindTarget>> = {
  http: urlTarget,
  https: urlTarget,
  url: urlTarget,
  keyword: urlTarget,
  "json-query": urlTarget,
  website: urlTarget,
  ping: icmpTarget,
  icmp: icmpTarget,
  port: tcpTarget,
  tcp: tcpTarget,
  dns: dnsTarget,
  ssl: sslTarget,
  tls: sslTarget,
  certificate: sslTarget,
};

interface Candidate {
  readonly target: string;
  readonly name: string;
  readonly kind: KindTarget | null;
}

const isAddressLike = (text: string) => /[./:]/.test(text) && !/\s/.test(text);

function readNamed(named: ReadonlyMap<string, string>): Candidate {
  const pick = (...names: string[]) => {
    const found = names.map((name) => named.get(name)?.trim() ?? "");
    return found.find((value) => value !== "") ?? "";
  };
  const kind = typeNames[pick("type", "kind").toLowerCase()] ?? null;
  const host = pick("hostname", "host", "address", "target");
  const port = Number(pick("port"));
  const usesPort = kind !== icmpTarget && kind !== dnsTarget;
  const endpoint =
    host !== "" && usesPort && Number.isInteger(port) && port > 0
      ? writeEndpoint(host, port)
      : host;
  // Some tools keep an unused "https://" beside the host.
  const url = pick("url").replace(/^https?:\/\/$/i, "");
  const wantsHost = kind !== null && kind !== urlTarget;
  const target = (wantsHost ? endpoint || url : url || endpoint) || "";
  return { target, name: pick("name", "friendly_name", "title"), kind };
}

/** Name and target stand in either order; of two that could be both, the second is the target. */
function readPair(fields: readonly string[]): Candidate {
  const [first = "", second = "", third = ""] = fields;
  const named = typeNames[third.toLowerCase()] ?? null;
  if (second === "") return readAlone(first);
  const isSwapped = isAddressLike(first) && !isAddressLike(second);
  return isSwapped
    ? { target: first, name: second, kind: named }
    : { target: second, name: first, kind: named };
}

/** A line of a hosts file has the address first and its names after it. */
function readAlone(text: string): Candidate {
  const [first = "", ...names] = text.split(/\s+/);
  if (names.length === 0) return { target: first, name: "", kind: null };
  if (findFamily(first) !== null) return { target: first, name: names.join(" "), kind: null };
  const last = names.at(-1) ?? "";
  if (isAddressLike(last) && (hasScheme(last) || !isAddressLike(first))) {
    return { target: last, name: [first, ...names.slice(0, -1)].join(" "), kind: null };
  }
  return { target: text, name: "", kind: null };
}

function readCandidate({ named, fields }: Row): Candidate {
  if (named !== null) return readNamed(named);
  return readPair(fields);
}

function toItem(row: Row): ListItem | LeftOut {
  const { line, text } = row;
  const { target: written, name, kind: said } = readCandidate(row);
  const kind = said ?? guessKind(written);
  if (written === "") return { line, text, reason: "no-target" };
  if (kind?.target == null || /\s/.test(written)) return { line, text, reason: "not-understood" };
  const fields = kind.target.read(written);
  const target = kind.target.write(fields);
  if (target === "") return { line, text, reason: "not-understood" };
  const isBareName = said === null && listOtherGuesses(written).length > 0;
  const proposed = name || proposeName(kind, fields) || target;
  return { line, checkType: kind.type, name: proposed, target, isBareName };
}

/** The kinds that bare host names can be checked by, the one that is proposed first. */
export const bareNameKinds: readonly KindTarget[] = [urlTarget, icmpTarget];

/** The same item as a check of another kind. */
export function changeItemKind(item: ListItem, kind: KindTarget): ListItem {
  const target = kind.target?.write(kind.target.read(item.target)) ?? item.target;
  return { ...item, checkType: kind.type, target };
}

/** Proposes a check for each line. Whether a target is valid, the API says when it is created. */
export function parseList(pasted: string): ParsedList {
  const isCut = pasted.length > maxListLength;
  const text = isCut ? pasted.slice(0, maxListLength) : pasted;
  const items: ListItem[] = [];
  const leftOut: LeftOut[] = [];
  const lines = new Map<string, number>();
  for (const row of readJsonRows(text) ?? readRows(text)) {
    const item = toItem(row);
    if ("reason" in item) {
      leftOut.push(item);
      continue;
    }
    const key = `${item.checkType} ${item.target.toLowerCase()}`;
    const of = lines.get(key);
    if (of !== undefined) leftOut.push({ line: row.line, text: row.text, reason: "duplicate", of });
    else if (items.length >= maxItems) {
      leftOut.push({ line: row.line, text: row.text, reason: "too-many" });
    } else {
      lines.set(key, item.line);
      items.push(item);
    }
  }
  return { items, leftOut, isCut };
}
