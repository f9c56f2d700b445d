import { startIcmpEngine } from "../../../src/kinds/icmp/prober/index.ts";

const variable = "VEDETTE_TEST_CANNOT_PING";
const howToOpen = 'as root: sysctl -w net.ipv4.ping_group_range="0 2147483647"';

/** Once for a whole test run, by the engine itself: tests that ping need what it needs. */
export async function findWhetherPingsWork(): Promise<void> {
  const engine = await startIcmpEngine({});
  if (engine.modes.IPv4.mode === "none") process.env[variable] = "true";
  await engine.close();
}

/** For `test(name, { skip: needsPings }, …)`: false where pings can be sent, else why not. */
export const needsPings: false | string =
  process.env[variable] === "true" && `NOT TESTED: this user may not ping (${howToOpen})`;

/** Before and after a test run, so that nobody takes a skipped test for one that passed. */
export function reportMissingPings(): void {
  if (process.env[variable] !== "true") return;
  process.stderr.write(
    "*** NOT TESTED: what ping checks find, as this user may open no ICMP socket and has no ping " +
      `command (${howToOpen}). ***\n`,
  );
}
