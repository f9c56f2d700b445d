/** What so many checks ask of servers, NATS and PostgreSQL, from what one of each costs. Pure. */

export interface Workload {
  readonly checks: number;
  readonly locations: number;
  readonly periodSeconds: number;
  /** At how many locations a run happens at once: one for round robin, all for parallel runs. */
  readonly locationsPerRun: number;
  readonly retentionDays: number;
}

/** What one thing costs; times are CPU time in microseconds unless they say wall. */
export interface UnitCosts {
  readonly serverUsPerOrder: number;
  readonly serverBytesPerCheck: number;
  readonly serverUsPerResult: number;
  readonly databaseUsPerResult: number;
  readonly walBytesPerResult: number;
  readonly keptBytesPerResult: number;
  readonly orderBytes: number;
  readonly resultBytes: number;
  /** Roll-ups are made by one server at a time, so what counts is the time on the clock. */
  readonly wallUsPerCheckHour: number;
  readonly serverUsPerCheckHour: number;
  readonly databaseUsPerCheckHour: number;
  readonly walBytesPerCheckHour: number;
  readonly keptBytesPerCheckHour: number;
  /** Null where no nats-server was at hand. */
  readonly nats: {
    readonly brokerUsPerMessage: number;
    readonly clientUsPerMessage: number;
  } | null;
}

/** What the machines are assumed to have; each figure is a choice, and printed with the result. */
export interface Machines {
  /** A core that is busier than this answers late. */
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
  /** Of what there is; 1 is all of it. */
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
  /** Of what more servers do not widen, the narrowest first. */
  readonly limits: readonly Limit[];
}

const perSecond = 1 / 3_600;
const second = 1e-6;
const hoursKept = 100 * 24;

export function countRunsPerSecond(load: Workload): number {
  return (load.checks / load.periodSeconds) * Math.min(load.locationsPerRun, load.locations);
}

/** A server is one busy thread, however many cores it has. */
function countServerCores(load: Workload, costs: UnitCosts): number {
  const runs = countRunsPerSecond(load);
  // Each run is an order that the server publishes and a result that it takes: a whole message.
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
    // Yesterday to the day after tomorrow are there beside the days that are kept.
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
