import { join } from "node:path";
import {
  type AccountsContext,
  Challenges,
  OidcProvider,
  PasswordGuard,
  ResetLimits,
} from "../access/accounts/index.ts";
import { type AgentContext, createAgentMetrics } from "../agent/index.ts";
import {
  addBackupMetrics,
  BackupKeeper,
  type BackupsContext,
  decideBackupSettings,
} from "../as-code/backups/index.ts";
import { createPushDevices } from "../channels/alert-channels/index.ts";
import type { PoliciesContext } from "../channels/escalation-policies/index.ts";
import { type ChecksContext, createRedefinitionGuard } from "../checks/checks/index.ts";
import type { CertificatesContext } from "../checks/client-certificates/index.ts";
import { ProbeDirectory } from "../checks/locations/index.ts";
import type { RuntimesContext } from "../checks/runtimes/index.ts";
import type { SnippetsContext } from "../checks/snippets/index.ts";
import type { VariablesContext } from "../checks/variables/index.ts";
import type { Config } from "../config.ts";
import { type Clock, FollowingClock } from "../platform/clock.ts";
import { findKeyText } from "../platform/encryption.ts";
import { ExplainedError } from "../platform/errors.ts";
import type { AddressKey } from "../platform/ip-address.ts";
import { createMailer } from "../platform/mail.ts";
import { createReach, resolveEveryMs, resolveOwnHosts } from "../platform/net/reach.ts";
import { ChangeAnnouncer } from "../platform/notifications.ts";
import { S3Bucket } from "../platform/object-storage.ts";
import { createOutbound, type Outbound } from "../platform/outbound.ts";
import { type LimitTools, RateLimit } from "../platform/rate-limit.ts";
import { createSourceLimits, type SourcesContext } from "../response/alert-sources/index.ts";
import {
  createAlertMetrics,
  createOnCallPages,
  type DeciderContext,
  type DelivererContext,
  findPolicyUses,
} from "../response/alerting/index.ts";
import type { MaintenanceContext } from "../response/maintenance/index.ts";
import {
  AssetKeeper,
  AssetLinks,
  type AssetsContext,
  BucketPlace,
  createAssetMetrics,
  FolderPlace,
} from "../runs/assets/index.ts";
import { createPaths, type Paths } from "../runs/failure-paths/index.ts";
import {
  createPingLimits,
  type HeartbeatsContext,
  PingIntake,
  readDatabaseMs,
} from "../runs/heartbeats/index.ts";
import { createProbeMetrics, type ProbesContext } from "../runs/probe-links/index.ts";
import {
  createRecordingMetrics,
  RecordedRuns,
  type RecordingContext,
  SeenCertificates,
} from "../runs/recording/index.ts";
import {
  createScheduleMetrics,
  OpenTrials,
  OrderTags,
  RunLoad,
  type ScheduleContext,
} from "../runs/scheduling/index.ts";
import { listLastRuns, type StatesContext } from "../runs/states/index.ts";
import type { StatisticsContext } from "../runs/statistics/index.ts";
import type { EventsContext } from "../screens/change-stream/index.ts";
import type { DashboardsContext } from "../screens/dashboards/index.ts";
import { createScrapeTools, type PrometheusContext } from "../screens/prometheus/index.ts";
import { type PublicPagesContext, SnapshotFolder } from "../screens/public-pages/index.ts";
import { createRecordLookUp, type SitesContext } from "../sites/publishing/index.ts";
import type { StatusPagesContext } from "../sites/status-pages/index.ts";
import {
  createSignUpLimits,
  createSubscriberMetrics,
  type SubscribersContext,
} from "../sites/subscribers/index.ts";
import { readLibrary } from "./docs-routes.ts";
import type { AppTools, Foundation } from "./foundation.ts";
import { listOwnHosts, listOwnPorts } from "./probe.ts";
import { createRuntimes } from "./runtimes.ts";
import type { Started } from "./started.ts";
import { TraceViewer } from "./trace-viewer.ts";
import { version } from "./version.ts";

/**
 * Creates the HTTP client for URLs that members enter. It never reaches what the service itself
 * uses, such as its database, unless OUTBOUND_ALLOW_PRIVATE allows the address.
 */
function createMemberOutbound(config: Config, now = () => performance.now()): Outbound {
  const hosts = [...listOwnHosts(config), ...listOwnPorts(config)];
  let resolved: ReturnType<typeof resolveOwnHosts> = Promise.resolve([]);
  let resolvedAtMs = Number.NEGATIVE_INFINITY;
  const isOwnEndpoint = async (address: string, port: number) => {
    if (now() - resolvedAtMs > resolveEveryMs) {
      resolvedAtMs = now();
      resolved = resolveOwnHosts(hosts, await resolved);
    }
    const reach = createReach({ allow: [], deny: [], own: await resolved });
    return reach.findDenial(address, port) !== null;
  };
  return createOutbound({ ...config.OUTBOUND_ALLOW_PRIVATE, allowLan: false, isOwnEndpoint });
}

/**
 * Dependencies of each module. A module without an entry uses the contexts of other modules in its
 * routes.
 */
export interface ModuleContexts {
  readonly accounts: AccountsContext;
  readonly runtimes: RuntimesContext;
  readonly channels: PoliciesContext;
  readonly variables: VariablesContext & SnippetsContext;
  readonly certificates: CertificatesContext;
  readonly sites: SitesContext;
  readonly statusPages: StatusPagesContext;
  readonly checks: ChecksContext;
  readonly schedule: ScheduleContext;
  readonly states: StatesContext;
  readonly recording: RecordingContext;
  readonly paths: Paths;
  readonly assets: AssetsContext & { readonly viewer: TraceViewer };
  readonly probes: ProbesContext;
  readonly statistics: StatisticsContext;
  readonly heartbeats: HeartbeatsContext;
  readonly alertSources: SourcesContext;
  readonly subscribers: SubscribersContext;
  readonly maintenance: MaintenanceContext;
  readonly alerting: DeciderContext & DelivererContext;
  readonly prometheus: PrometheusContext;
  readonly publicPages: PublicPagesContext;
  readonly dashboards: DashboardsContext;
  readonly events: EventsContext;
  readonly agent: AgentContext;
  readonly backups: BackupsContext;
}

function createSendTools(
  config: Config,
  started: Started,
  foundation: Foundation,
): PoliciesContext["sendTools"] {
  const { SMTP_URL, MAIL_FROM, SMS_GATEWAY_URL, SMS_GATEWAY_TOKEN } = config;
  const mailer = SMTP_URL === undefined ? null : createMailer({ url: SMTP_URL, from: MAIL_FROM });
  if (mailer !== null) started.add(async () => mailer.close());
  return {
    outbound: createMemberOutbound(config),
    mailer,
    push: createPushDevices(foundation),
    onCall: createOnCallPages(foundation),
    smsGateway:
      SMS_GATEWAY_URL === undefined
        ? null
        : { url: SMS_GATEWAY_URL, token: SMS_GATEWAY_TOKEN ?? null },
  };
}

function createOidcProvider(config: Config, clock: Clock): OidcProvider | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId } = config;
  if (issuer === undefined) return null;
  if (clientId === undefined) {
    throw new ExplainedError("OIDC_CLIENT_ID is required with OIDC_ISSUER.");
  }
  const settings = {
    issuer,
    clientId,
    clientSecret: config.OIDC_CLIENT_SECRET ?? null,
    name: config.OIDC_NAME,
    allowedDomains: config.OIDC_ALLOWED_DOMAINS ?? null,
    roleClaim: config.OIDC_ROLE_CLAIM ?? null,
    roles: config.OIDC_ROLES ?? new Map(),
    defaultRole: config.OIDC_DEFAULT_ROLE ?? null,
  };
  return new OidcProvider(settings, clock);
}

function readAgentSettings(config: Config): AgentContext["agentSettings"] {
  const { AI_BASE_URL, AI_API_KEY, AI_MODEL, AI_MAX_TOKENS, AI_STREAMS_PER_ACCOUNT } = config;
  return {
    endpoint:
      AI_BASE_URL === undefined
        ? null
        : { baseUrl: AI_BASE_URL, apiKey: AI_API_KEY ?? null, model: AI_MODEL },
    maxTokens: AI_MAX_TOKENS,
    streamsPerAccount: AI_STREAMS_PER_ACCOUNT,
  };
}

/** Creates the contexts of the modules that schedule, execute and record runs. */
function createRuns(
  config: Config,
  started: Started,
  foundation: Foundation,
  registry: AppTools["metrics"]["registry"],
): Pick<ModuleContexts, "schedule" | "states" | "recording" | "paths" | "assets" | "probes"> {
  const { db, clock, log, encryption, watchList } = foundation;
  const { accountVariables, accountCertificates, bus, serverId, natsKeys } = foundation;
  const recorded = new ChangeAnnouncer(db, log, "check.result");
  started.add(recorded.stop);
  const place = { hasBuiltInProbe: config.BUILT_IN_PROBE === "true", isBusShared: bus.isDurable };
  const scheduleMetrics = createScheduleMetrics(registry);
  const recordingMetrics = createRecordingMetrics(registry);
  const seenCertificates = new SeenCertificates();
  const states = { db, clock, watchList };
  const shared = {
    ...{ ...states, log, bus, natsKeys },
    directory: new ProbeDirectory({ db, clock, serverId, ...place }),
    tags: new OrderTags(encryption),
    load: new RunLoad(scheduleMetrics),
    recordedRuns: new RecordedRuns(),
  };
  const schedule: ScheduleContext = {
    ...shared,
    ...{ servers: () => foundation.presence.liveCount, serverId, trials: new OpenTrials() },
    ...{ encryption, accountVariables, accountCertificates, scheduleMetrics, listLastRuns },
  };
  const paths = createPaths({ ...schedule, recorded }, config.PATHS_PER_MINUTE, registry);
  const { failures } = paths;
  return {
    schedule,
    states,
    recording: { ...shared, seenCertificates, recordingMetrics, recorded, failures },
    paths,
    assets: createAssets(config, foundation, registry),
    probes: { ...shared, recordingMetrics, probeMetrics: createProbeMetrics(registry) },
  };
}

function createBackups(
  config: Config,
  foundation: Foundation,
  registry: AppTools["metrics"]["registry"],
): BackupsContext {
  const { db, clock, log, connection, serverId } = foundation;
  const backups = new BackupKeeper({
    ...{ db, clock, log, connection, serverId, program: version },
    settings: decideBackupSettings(config),
    findKey: async () => {
      const text = await findKeyText(config.DATA_DIR, config.ENCRYPTION_KEY);
      const passphrase = config.BACKUP_PASSPHRASE;
      return text === null || passphrase === undefined ? null : { text, passphrase };
    },
    dataDir: config.DATABASE_URL === undefined ? config.DATA_DIR : null,
  });
  addBackupMetrics(registry, backups);
  return { db, clock, backups };
}

function createAssets(
  config: Config,
  { db, clock, log, serverId, encryption, publicUrl }: Foundation,
  registry: AppTools["metrics"]["registry"],
): ModuleContexts["assets"] {
  const { RETENTION_DAYS: resultRetentionDays, ASSET_RETENTION_DAYS: days = Infinity } = config;
  const keeper = new AssetKeeper({
    ...{ db, clock, log, serverId, resultRetentionDays },
    folder: new FolderPlace(join(config.DATA_DIR, "assets")),
    shared: createBucket(config, clock),
    quotaBytes: config.ASSET_QUOTA_MB * 2 ** 20,
    retentionDays: Math.min(days, resultRetentionDays),
    metrics: createAssetMetrics(registry),
  });
  const links = new AssetLinks(encryption, clock);
  const viewer = new TraceViewer(config);
  const viewerUrl = () => viewer.findUrl(publicUrl());
  return { db, clock, keeper, links, publicUrl, viewerUrl, viewer };
}

/**
 * Creates the client for the bucket; `null` without S3_ENDPOINT. Private networks are allowed,
 * because only the operator can set the endpoint.
 */
function createBucket(config: Config, clock: Clock): BucketPlace | null {
  const { S3_ENDPOINT: endpoint, S3_BUCKET: bucket, S3_REGION: region } = config;
  const { S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (endpoint === undefined) return null;
  if (bucket === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    throw new ExplainedError(
      "S3_BUCKET, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required with S3_ENDPOINT.",
    );
  }
  const outbound = createOutbound({ allowPrivate: true });
  const options = { endpoint, bucket, region, accessKeyId, secretAccessKey, outbound, clock };
  return new BucketPlace(new S3Bucket(options));
}

const createSiteTools = (
  config: Config,
  limits: LimitTools,
  sendTools: PoliciesContext["sendTools"],
) => ({
  // Pictures are not entered for one channel, so only the setting allows private addresses.
  sendTools: { ...sendTools, outbound: createOutbound(config.OUTBOUND_ALLOW_PRIVATE) },
  pageKeyLimit: new RateLimit<AddressKey>({ ...limits, limit: 20, windowMs: 300_000 }),
  domainProof: {
    isRequired: config.DOMAIN_PROOF === "required",
    lookUp: createRecordLookUp(config.DOMAIN_DNS_SERVERS),
    verificationLimit: new RateLimit({ ...limits, limit: 20, windowMs: 60_000 }),
  },
});

function createHeartbeats(recording: RecordingContext, limits: LimitTools): HeartbeatsContext {
  const { clock } = limits;
  // Heartbeats use the time of the database. A test with its own clock cannot change this time, so
  // in such a test, heartbeats use the clock of the test.
  const readNowMs = clock instanceof FollowingClock ? readDatabaseMs : async () => clock.nowMs();
  const pings = { ...recording, readNowMs };
  const intake = new PingIntake(pings, recording.log);
  return { ...pings, intake, pingLimits: createPingLimits(limits) };
}

const createGuards = (limits: LimitTools) => ({
  passwordGuard: new PasswordGuard(limits),
  codeGuard: new PasswordGuard(limits, { perEmail: 20 }),
  resetLimits: new ResetLimits(limits),
});

const createSnapshotFolder = ({ SNAPSHOT_DIR: folder }: Config) => ({
  snapshotFolder: folder === undefined ? null : new SnapshotFolder(folder),
});

/** Creates the contexts of all modules. */
export function createContexts(
  config: Config,
  started: Started,
  foundation: Foundation,
  tools: AppTools,
): ModuleContexts {
  const { db, clock, log, encryption, credentials, watchList, publicUrl } = foundation;
  const { changes, accountVariables, accountCertificates } = foundation;
  const isSecure = () => config.PUBLIC_URL?.startsWith("https:") ?? false;
  const { OUTBOUND_ALLOW_PRIVATE: addressRules } = config;
  const sendTools = createSendTools(config, started, foundation);
  const { registry } = tools.metrics;
  const servers = () => foundation.presence.liveCount;
  const limits = { clock, servers };
  const accounts = {
    ...{ db, clock, credentials, encryption, isSecure, publicUrl, log },
    ...createGuards(limits),
    challenges: new Challenges(encryption, clock),
    configuredUrl: config.PUBLIC_URL,
    mailer: sendTools.mailer,
    oidc: createOidcProvider(config, clock),
  };
  const channels = { db, clock, servers, encryption, addressRules, sendTools, findPolicyUses };
  const sites = {
    ...{ db, clock, encryption, isSecure, publicUrl },
    ...createSiteTools(config, limits, sendTools),
  };
  const statusPages = { ...sites, allowPrivate: addressRules.allowPrivate };
  const subscribers = {
    ...{ ...statusPages, log, servers },
    // Anyone can enter the URL of a webhook, so the webhooks must never reach private networks.
    subscriberOutbound: tools.subscriberOutbound ?? createOutbound({ allowPrivate: false }),
    signUpLimits: createSignUpLimits(limits),
    subscriberMetrics: createSubscriberMetrics(registry),
  };
  const checks = { db, clock, encryption, publicUrl };
  const runs = createRuns(config, started, foundation, registry);
  const alertMetrics = createAlertMetrics(registry);
  const alerting = { ...channels, watchList, log, publicUrl, alertMetrics };
  const { pageChanges, accountChanges, callerChanges } = changes;
  return {
    accounts,
    runtimes: createRuntimes(config, started, foundation, tools),
    channels,
    variables: { ...checks, accountVariables, ...createRedefinitionGuard(checks) },
    certificates: { db, clock, encryption, accountCertificates },
    sites,
    statusPages,
    subscribers,
    checks,
    ...runs,
    statistics: { ...runs.states, log },
    heartbeats: createHeartbeats(runs.recording, limits),
    alertSources: { ...runs.recording, ...checks, sourceLimits: createSourceLimits(limits) },
    maintenance: { db, clock, log },
    alerting,
    prometheus: { db, clock, log, watchList, ...createScrapeTools(limits) },
    publicPages: { ...statusPages, log, pageChanges, ...createSnapshotFolder(config) },
    dashboards: { ...statusPages, ...changes, credentials, watchList, log },
    events: { clock, servers, credentials, accountChanges, callerChanges },
    backups: createBackups(config, foundation, registry),
    agent: {
      ...runs.schedule,
      ...alerting,
      ...{ agentSettings: readAgentSettings(config), agentMetrics: createAgentMetrics(registry) },
      listDocSections: () => [...readLibrary().values()].flatMap(({ sections }) => sections),
    },
  };
}
