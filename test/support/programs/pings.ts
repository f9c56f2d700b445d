import { startIcmpEngine } from "../../../src/kinds/icmp/prober/index.ts";

const variable = "VEDETTE_TEST_CANNOT_PING";
const howToOpen = 'as root: sysctl -w net.ipv4.ping_group_range="0 2147483647"';

/** Detects once per test run, with the engine itself, whether pings are possible. */
export async function findWhetherPingsWork(): Promise<void> {
  const engine = await startIcmpEngine({});
  if (engine.modes.IPv4.mode === "none") process.env[variable] = "true";
  await engine.close();
}

/** For `test(name, { skip: needsPings }, …)`: false if pings can be sent, else the reason. */
export const needsPings: false | string =
  process.env[variable] === "true" && `NOT TESTED: this user may not ping (${howToOpen})`;

/** Reported before and after a test run, so that skipped tests are not mistaken for passed ones. */
export function reportMissingPings(): void {
  if (process.env[variable] !== "true") return;
  process.stderr.write(
    "*** NOT TESTED: ping checks, because this user may open no ICMP socket and has no ping " +
      `command (${howToOpen}). ***\n`,
  );
}
