import {
  expect,
  type KindPayload,
  type PayloadAssertion,
} from "../../../../kinds/kit/check-payloads.ts";
import type { Origin, ReadingBuilder } from "../../reading-builder.ts";
import type { Row } from "../row.ts";
import { trimHost } from "../row.ts";

/** Limits that alert rules set for a target. */
export interface TargetLimits {
  readonly slowMs: number | null;
  readonly statuses: readonly PayloadAssertion[];
  readonly certificateDays: number | null;
}

export interface ProbeTarget {
  readonly origin: Origin;
  readonly address: string;
  readonly timeoutSeconds: number;
  readonly limits: TargetLimits;
}

interface ProbeCheck {
  readonly payload: KindPayload;
  /** How many days before the expiry of the target's certificate an alert is sent. */
  readonly certificateDays?: number | null;
  /** Suffix that distinguishes the second check of a target from the first. */
  readonly suffix?: string;
}

/** Translates a target into checks. Returns an empty list if the target is left out. */
export type Module = (target: ProbeTarget) => readonly ProbeCheck[];

/** A module that is being translated. Its settings are reported once, and not for each target. */
export interface ModuleScene {
  readonly builder: ReadingBuilder;
  readonly origin: Origin;
  readonly prober: string;
  readonly options: Row;
}

export function reportOption({ builder, origin }: ModuleScene, field: string, why: string): void {
  builder.change(origin, field, { from: "set", to: "none", why });
}

/** Reports options that are set in the module and that checks do not support. */
export function reportUnused(
  scene: ModuleScene,
  names: readonly string[],
  why = "Checks have no such option.",
): void {
  for (const name of names) {
    const value = scene.options.get(name);
    if (value === undefined || value === null || value === false || value === "") continue;
    reportOption(scene, name, why);
  }
}

/**
 * Returns the IP family for the checks of a module. A module may fall back to the other family, but
 * a check uses only one. Returns `null` if the module neither sets a family nor disables the
 * fallback.
 */
export function readFamily({ builder, origin, options }: ModuleScene): "IPv4" | "IPv6" | null {
  const preferred = options.text("preferred_ip_protocol");
  const isFixed = !options.flag("ip_protocol_fallback", true);
  if (preferred === null && !isFixed) {
    builder.note(
      "blackbox_exporter prefers IPv6 and falls back to IPv4. Checks use IPv4, unless the target " +
        "is an IPv6 address or the module sets preferred_ip_protocol.",
    );
    return null;
  }
  const family = preferred === "ip4" ? "IPv4" : "IPv6";
  if (!isFixed && preferred !== "ip4") {
    const why = "A check uses one address family.";
    builder.change(origin, "preferred_ip_protocol", { from: "ip6, then ip4", to: family, why });
  }
  return family;
}

/** Splits `host:port`. Returns `null` if the text contains no valid port. */
export function splitAddress(
  address: string,
): { readonly host: string; readonly port: number } | null {
  const [, host = "", port = ""] = /^(\[[^\]]+\]|[^:/\s]+):(\d{1,5})$/.exec(address) ?? [];
  return host === "" ? null : { host: trimHost(host), port: Number(port) };
}

/**
 * Encloses an expression in a group if it contains groups, because assertions compare only the
 * first group.
 */
export const toWholeMatch = (regex: string): string => (regex.includes("(") ? `(${regex})` : regex);

export const timeAssertions = ({ limits: { slowMs } }: ProbeTarget): PayloadAssertion[] =>
  slowMs === null ? [] : [expect.responseTimeBelow(slowMs)];
