/**
 * Computes what a number of checks requires of servers, NATS and PostgreSQL, from the unit costs.
 */

export interface Workload {
  readonly checks: number;
  readonly locations: number;
  readonly periodSeconds: number;
  /** Number of locations per run: one for round robin, all for parallel runs. */
  readonly locationsPerRun: number;
  readonly retentionDays: number;
}

/** Unit costs, as CPU time in microseconds unless named wall. */
export interface UnitCosts {
  readonly serverUsPerOrder: number;
  readonly serverBytesPerCheck: number;
  readonly serverUsPerResult: number;
  readonly databaseUsPerResult: number;
  readonly walBytesPerResult: number;
  readonly keptBytesPerResult: number;
  readonly orderBytes: number;
  readonly resultBytes: number;
  /** One server at a time makes the roll-ups, so wall time matters. */
  readonly wallUsPerCheckHour: number;
  readonly serverUsPerCheckHour: number;
  readonly databaseUsPerCheckHour: number;
  readonly walBytesPerCheckHour: number;
  readonly keptBytesPerCheckHour: number;
  /** `null` if no nats-server is installed. */
  readonly nats: {
    readonly brokerUsPerMessage: number;
    readonly clientUsPerMessage: number;
  } | null;
}

/** Assumed capacity of the machines. Each figure is a choice and is printed with the result. */
export interface Machines {
  /** Maximum utilisation of a core before latency suffers. */
  readonly busyShare: number;
  readonly serverCores: number;
  readonly databaseCores: number;
  readonly natsCores: number;
  readonly databaseDiskBytes: number;
  readonly walBytesPerSecond: number;
  readonly shards: number;
  readonly batchSize: number;
}

export interface Limit {
  readonly name: string;
  /** Share of the capacity; 1 is all of it. */
  readonly share: number;
  /** The number of checks that use all of it. */
  readonly atChecks: number;
}

export interface Needs {
  readonly runsPerSecond: number;
  readonly messagesPerSecond: number;
  readonly busBytesPerSecond: number;
  readonly transactionsPerSecond: number;
  readonly walBytesPerSecond: number;
  readonly rowsPerDay: number;
  readonly keptBytes: number;
  readonly partitions: number;
  readonly checksPerShard: number;
  readonly serverCores: number;
  readonly servers: number;
  readonly shardsPerServer: number;
  readonly memoryPerServerBytes: number;
  readonly databaseCores: number;
  readonly natsCores: number | null;
  readonly rollUpSecondsPerHour: number;
  /** Limits that more servers do not raise, the tightest first. */
  readonly limits: readonly Limit[];
}

const perSecond = 1 / 3_600;
const second = 1e-6;
const hoursKept = 100 * 24;

export function countRunsPerSecond(load: Workload): number {
  return (load.checks / load.periodSeconds) * Math.min(load.locationsPerRun, load.locations);
}

/** A server has one busy thread, however many cores the machine has. */
function countServerCores(load: Workload, costs: UnitCosts): number {
  const runs = countRunsPerSecond(load);
  // Each run is an order that the server publishes and a result that it receives: one message in
  // total.
  const busUs = costs.nats?.clientUsPerMessage ?? 0;
  const perRunUs = costs.serverUsPerOrder + costs.serverUsPerResult + busUs;
  return (runs * perRunUs + load.checks * perSecond * costs.serverUsPerCheckHour) * second;
}

function listLimits(load: Workload, machines: Machines, needs: Omit<Needs, "limits">): Limit[] {
  const { busyShare } = machines;
  const shares: Record<string, number> = {
    "roll-ups, by one server at a time": needs.rollUpSecondsPerHour / 3_600,
    "CPU of PostgreSQL": needs.databaseCores / (machines.databaseCores * busyShare),
    "WAL of PostgreSQL": needs.walBytesPerSecond / machines.walBytesPerSecond,
    "disk of PostgreSQL": needs.keptBytes / machines.databaseDiskBytes,
    "shards, one server each": needs.servers / machines.shards,
  };
  if (needs.natsCores !== null) {
    shares["CPU of NATS"] = needs.natsCores / (machines.natsCores * busyShare);
  }
  return Object.entries(shares)
    .map(([name, share]) => ({ name, share, atChecks: load.checks / share }))
    .sort((one, other) => other.share - one.share);
}

export function estimateNeeds(load: Workload, costs: UnitCosts, machines: Machines): Needs {
  const runs = countRunsPerSecond(load);
  const hoursPerSecond = load.checks * perSecond;
  const serverCores = countServerCores(load, costs);
  const servers = Math.max(1, Math.ceil(serverCores / (machines.serverCores * machines.busyShare)));
  const needs = {
    runsPerSecond: runs,
    messagesPerSecond: 2 * runs,
    busBytesPerSecond: runs * (costs.orderBytes + costs.resultBytes),
    transactionsPerSecond: runs / machines.batchSize,
    walBytesPerSecond: runs * costs.walBytesPerResult + hoursPerSecond * costs.walBytesPerCheckHour,
    rowsPerDay: runs * 86_400,
    keptBytes:
      runs * 86_400 * load.retentionDays * costs.keptBytesPerResult +
      load.checks * hoursKept * costs.keptBytesPerCheckHour,
    // Partitions from yesterday to the day after tomorrow exist in addition to the retained days.
    partitions: load.retentionDays + 3,
    checksPerShard: load.checks / machines.shards,
    serverCores,
    servers,
    shardsPerServer: machines.shards / servers,
    memoryPerServerBytes: (load.checks / servers) * costs.serverBytesPerCheck,
    databaseCores:
      (runs * costs.databaseUsPerResult + hoursPerSecond * costs.databaseUsPerCheckHour) * second,
    natsCores: costs.nats === null ? null : 2 * runs * costs.nats.brokerUsPerMessage * second,
    rollUpSecondsPerHour: load.checks * costs.wallUsPerCheckHour * second,
  };
  return { ...needs, limits: listLimits(load, machines, needs) };
}
