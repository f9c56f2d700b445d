/** Injects a fault into a fleet, and ends the fault. */
import type { Fault } from "./fault-plan.ts";
import type { Fleet } from "./fleet.ts";
import type { Link } from "./link.ts";
import type { Machine } from "./machine.ts";
import type { PostgresMachine } from "./postgres-machine.ts";

/** Ends a fault, and resolves when the affected machine or link works again. */
export type Heal = () => Promise<void>;

const slowMs = 150;
const nothing: Heal = async () => {};

export async function inject(fleet: Fleet, fault: Fault): Promise<Heal> {
  const { subject } = fault;
  const link = fleet.links.get(subject);
  if (link !== undefined) return injectInLink(link, fault);
  if (subject === fleet.postgres.name) return injectInPostgres(fleet.postgres, fault);
  const machine = fleet.machines.get(subject);
  if (machine === undefined) throw new Error(`there is no ${subject}`);
  return injectInMachine(machine, fault, () => fleet.isBack(subject));
}

async function injectInLink(link: Link, { kind }: Fault): Promise<Heal> {
  if (kind === "cut") link.cut();
  else if (kind === "freeze") link.freeze();
  else link.slow(slowMs);
  return async () => link.heal();
}

async function injectInPostgres(postgres: PostgresMachine, { kind }: Fault): Promise<Heal> {
  if (kind === "pause") {
    postgres.pause();
    return async () => postgres.resume();
  }
  await postgres.restart(kind === "kill" ? "SIGKILL" : "SIGINT");
  return nothing;
}

async function injectInMachine(
  machine: Machine,
  { kind }: Fault,
  isBack: () => Promise<void>,
): Promise<Heal> {
  if (kind === "pause") {
    machine.pause();
    return async () => machine.resume();
  }
  if (kind === "kill") await machine.kill();
  else await machine.stop();
  return async () => {
    machine.start();
    await isBack();
  };
}
