import { startIcmpEngine } from "../../../src/kinds/of/icmp/prober/index.ts";

const variable = "VEDETTE_TEST_CANNOT_PING";
const howToOpen = 'as root: sysctl -w net.ipv4.ping_group_range="0 2147483647"';

/**
 * Determines one time per test run whether this user can send pings, by starting the ping engine.
 */
export async function findWhetherPingsWork(): Promise<void> {
  const engine = await startIcmpEngine({});
  if (engine.modes.IPv4.mode === "none") process.env[variable] = "true";
  await engine.close();
}

/**
 * `false` if pings can be sent, otherwise the reason why not. Used as `test(name, { skip:
 * needsPings }, …)`.
 */
export const needsPings: false | string =
  process.env[variable] === "true" && `NOT TESTED: this user may not ping (${howToOpen})`;

/**
 * Prints a warning if ping tests are skipped. A test run calls this at its start and end, so that
 * nobody mistakes skipped tests for passed tests.
 */
export function reportMissingPings(): void {
  if (process.env[variable] !== "true") return;
  process.stderr.write(
    "*** NOT TESTED: ping checks, because this user may open no ICMP socket and has no ping " +
      `command (${howToOpen}). ***\n`,
  );
}
