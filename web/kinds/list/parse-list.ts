import { dnsTarget } from "../dns/target.ts";
import { guessKind, listOtherGuesses, proposeName } from "../guess-kind.ts";
import { findFamily, hasScheme, writeEndpoint } from "../host-text.ts";
import { icmpTarget } from "../icmp/target.ts";
import { findKindByForeignName } from "../index.ts";
import type { KindTarget } from "../kind.ts";
import { urlTarget } from "../url/target.ts";
import { type Row, readJsonRows, readRows } from "./read-rows.ts";

/** Maximum number of checks per API request, and a limit on the text. */
export const maxItems = 500;
export const maxListLength = 200_000;

export interface ListItem {
  readonly line: number;
  readonly checkType: string;
  readonly name: string;
  readonly target: string;
  /** Whether the target is a bare host name, for which another check type is offered. */
  readonly isBareName: boolean;
}

/** A line that produces no check, and the reason. */
export interface LeftOut {
  readonly line: number;
  readonly text: string;
  readonly reason: "not-understood" | "duplicate" | "too-many" | "no-target";
  /** The earlier line that it duplicates. */
  readonly of?: number;
}

export interface ParsedList {
  readonly items: readonly ListItem[];
  readonly leftOut: readonly LeftOut[];
  readonly isCut: boolean;
}

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
  const kind = findKindByForeignName(pick("type", "kind"));
  const host = pick("hostname", "host", "address", "target");
  const port = Number(pick("port"));
  const usesPort = kind !== icmpTarget && kind !== dnsTarget;
  const endpoint =
    host !== "" && usesPort && Number.isInteger(port) && port > 0
      ? writeEndpoint(host, port)
      : host;
  // Some tools export an unused "https://" beside the host.
  const url = pick("url").replace(/^https?:\/\/$/i, "");
  const wantsHost = kind !== null && kind !== urlTarget;
  const target = (wantsHost ? endpoint || url : url || endpoint) || "";
  return { target, name: pick("name", "friendly_name", "title"), kind };
}

/** Name and target may come in either order; if both could be the target, the second one is. */
function readPair(fields: readonly string[]): Candidate {
  const [first = "", second = "", third = ""] = fields;
  const named = findKindByForeignName(third);
  if (second === "") return readAlone(first);
  const isSwapped = isAddressLike(first) && !isAddressLike(second);
  return isSwapped
    ? { target: first, name: second, kind: named }
    : { target: second, name: first, kind: named };
}

/** A line of a hosts file starts with the address, followed by its names. */
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
  const { target: written, name, kind: given } = readCandidate(row);
  const kind = given ?? guessKind(written);
  if (written === "") return { line, text, reason: "no-target" };
  if (kind?.target == null || /\s/.test(written)) return { line, text, reason: "not-understood" };
  const fields = kind.target.read(written);
  const target = kind.target.write(fields);
  if (target === "") return { line, text, reason: "not-understood" };
  const isBareName = given === null && listOtherGuesses(written).length > 0;
  const proposed = name || proposeName(kind, fields) || target;
  return { line, checkType: kind.type, name: proposed, target, isBareName };
}

/** Check types offered for bare host names, the default first. */
export const bareNameKinds: readonly KindTarget[] = [urlTarget, icmpTarget];

/** Returns the item as a check of another type. */
export function changeItemKind(item: ListItem, kind: KindTarget): ListItem {
  const target = kind.target?.write(kind.target.read(item.target)) ?? item.target;
  return { ...item, checkType: kind.type, target };
}

/** Proposes a check for each line. The API validates the targets when the checks are created. */
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
