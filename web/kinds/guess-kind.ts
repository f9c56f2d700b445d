import type { AnyValues } from "./form-values.ts";
import { findFamily, hasScheme, readHost } from "./host-text.ts";
import { findKindByScheme } from "./index.ts";
import type { KindTarget } from "./kind.ts";
import { icmpTarget, tcpTarget, urlTarget } from "./targets.ts";

/** Returns the check type for a typed target; `null` if the text is not a valid target. */
export function guessKind(typed: string): KindTarget | null {
  const text = typed.trim();
  if (text === "" || /\s/.test(text)) return null;
  if (hasScheme(text)) {
    const [name = ""] = text.split(":");
    return findKindByScheme(name);
  }
  if (findFamily(text) !== null) return icmpTarget;
  if (text.includes("/") || text.includes("?")) return urlTarget;
  if (readHost(text).port !== null) return tcpTarget;
  return isPublicName(text) ? urlTarget : icmpTarget;
}

/** Suffixes of internal names, which rarely serve HTTPS. */
const internalSuffix =
  /\.(?:local|lan|internal|intranet|localdomain|home\.arpa|in-addr\.arpa)\.?$/i;

/** Returns whether a bare host name is likely to be public and to serve a website. */
function isPublicName(host: string): boolean {
  return /[^.]\.[^.]/.test(host) && !internalSuffix.test(host);
}

/**
 * Returns plausible check types for a typed target, other than the type that `guessKind` returns.
 */
export function listOtherGuesses(typed: string): readonly KindTarget[] {
  const text = typed.trim();
  const isBareName = !/[\s/?:]/.test(text) && findFamily(text) === null && text !== "";
  return isBareName && isPublicName(text) ? [icmpTarget] : [];
}

const maxNameLength = 120;

/** Proposes a name for a check with this target. */
export function proposeName(kind: KindTarget, values: AnyValues): string {
  const text = kind.target?.write(values) ?? "";
  const short = text.replace(/^https?:\/\//i, "").replace(/[?#].*$/, "");
  return (short.replace(/\/+$/, "") || text).slice(0, maxNameLength);
}
