import { runtimes } from "../../../../checks/runtimes/index.ts";
import { isCheckType, kinds } from "../../../../kinds/index.ts";
import { type ImportFile, type Reading, reference, UnreadableFile } from "../../reading.ts";
import { cutName, type Origin, ReadingBuilder, type ReadOptions } from "../../reading-builder.ts";
import { assertSmall, readTextFile } from "../file-text.ts";
import { Row, toLogicalPart } from "../row.ts";

/** Types of the entries that an API list can contain. */
const listNames = [
  ...(["checks", "groups", "channels", "services", "pages", "windows", "dashboards"] as const),
  ...(["locations", "variables", "snippets"] as const),
] as const;
type ListName = (typeof listNames)[number];

type Lists = Readonly<Record<ListName, Row[]>>;

/**
 * Fields that identify the type of an entry. An entry has the first type in this list of which it
 * contains at least one field.
 */
const marks: readonly (readonly [ListName, readonly string[]])[] = [
  ["checks", ["checkType"]],
  ["locations", ["slugName"]],
  ["windows", ["startsAt"]],
  ["dashboards", ["dashboardId", "customUrl"]],
  ["channels", ["config"]],
  ["pages", ["cards", "defaultTheme"]],
  ["groups", ["apiCheckDefaults", "concurrency", "alertChannelSubscriptions"]],
  ["snippets", ["script"]],
  ["variables", ["key"]],
  ["services", ["name"]],
];

function recognise(entry: Row): ListName | null {
  const found = marks.find(([, fields]) => fields.some((field) => entry.get(field) !== undefined));
  return found?.[0] ?? null;
}

function parseJson(file: ImportFile): unknown {
  const text = readTextFile(file);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableFile(
      `${file.name} is not valid JSON: ${(error as Error).message}. It must be an answer of the ` +
        "API. A project of the command line is not imported: deploy it here.",
    );
  }
  assertSmall(value, file.name);
  return value;
}

/** Returns the entries of an API response: a list, or an object with the list in `entries`. */
function listEntries(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value;
  const entries = new Row(value).get("entries");
  return Array.isArray(entries) ? entries : null;
}

/**
 * Returns the lists in a file. A file is one API response, or an object that contains several
 * responses.
 */
function listAnswers(value: unknown): (readonly unknown[])[] {
  const own = listEntries(value);
  if (own !== null) return [own];
  const row = new Row(value);
  return row.keys().flatMap((key) => {
    const inner = listEntries(row.get(key));
    return inner === null ? [] : [inner];
  });
}

/** Sorts the entries of all files by type. Each page of a paginated list may be a separate file. */
function readLists(files: readonly ImportFile[]): Lists {
  const lists = Object.fromEntries(listNames.map((name): [ListName, Row[]] => [name, []]));
  for (const file of files) {
    const answers = listAnswers(parseJson(file));
    if (answers.length === 0) throw new UnreadableFile(`${file.name} contains no list.`);
    for (const entry of answers.flat()) {
      const row = new Row(entry);
      const name = recognise(row);
      if (name === null) throw new UnreadableFile(`${file.name} contains an unknown entry.`);
      lists[name]?.push(row);
    }
  }
  return lists as Lists;
}

type Fields = Record<string, unknown>;

const toOrigin = (prefix: string, row: Row, fallback: string, idKey = "id"): Origin => ({
  origin: `checkly/${prefix}${toLogicalPart(row.text(idKey) ?? "")}`,
  name: row.text("name") ?? fallback,
});

const groupOrigin = (id: string | null) => `checkly/group-${toLogicalPart(id ?? "")}`;
const channelOrigin = (id: string | null) => `checkly/channel-${toLogicalPart(id ?? "")}`;
const snippetOrigin = (id: string | null) => `checkly/snippet-${toLogicalPart(id ?? "")}`;
const serviceOrigin = (id: string | null) => `checkly/service-${toLogicalPart(id ?? "")}`;

/** Fields that the API sets by itself, or that the reader translates separately. */
const ownFields = new Set([
  ...["id", "created_at", "updated_at", "createdAt", "updatedAt", "accountId", "groupOrder"],
  ...["alertChannelSubscriptions", "alertChannels", "subscriptions", "checks", "keys", "version"],
  ...["locations", "privateLocations", "privateLocationIds", "runtimeId", "v", "status"],
  ...[
    "localSetupScript",
    "localTearDownScript",
    "setupSnippetId",
    "tearDownSnippetId",
    "cards",
    "customDomain",
    "environmentVariables",
  ],
  ...["triggerIncident", "heartbeat", "groupId", "dashboardId", "logo", "favicon"],
]);

function withoutOwn(row: Row): Fields {
  const names = row.keys().filter((name) => !ownFields.has(name) && row.get(name) !== undefined);
  return Object.fromEntries(names.map((name) => [name, row.get(name)]));
}

const maskedValue = /^[*•]*$/;

/** Reads environment variables. Variables with masked secret values are left out and reported. */
function readVariables(builder: ReadingBuilder, origin: Origin, row: Row) {
  const list = row.list("environmentVariables").map((value) => new Row(value));
  return list.flatMap((variable) => {
    const key = variable.text("key");
    if (key === null) return [];
    const value = variable.text("value") ?? "";
    const [locked, secret] = [variable.flag("locked"), variable.flag("secret")];
    if ((locked || secret) && maskedValue.test(value)) {
      const why = "Secret values are not in the file; add the variable again.";
      builder.change(origin, `variable ${key}`, { from: "secret", to: "none", why });
      return [];
    }
    return [{ key, value, locked, secret }];
  });
}

function reportPlaces(builder: ReadingBuilder, origin: Origin, row: Row): void {
  const places = [...row.list("locations"), ...row.list("privateLocations")].map(String);
  if (places.length === 0) return;
  const why = "Locations differ. Choose them in the check or its group.";
  builder.change(origin, "locations", { from: places.join(", "), to: "default location", why });
}

const scriptFields = [
  ...["setupSnippetId", "tearDownSnippetId", "localSetupScript", "localTearDownScript"],
];

/**
 * Reads setup and teardown scripts. Deactivates the check if a snippet is missing, or if checks of
 * its type run no such scripts.
 */
function readScripts(
  builder: ReadingBuilder,
  { origin, row, runs }: { readonly origin: Origin; readonly row: Row; readonly runs: boolean },
): Fields {
  const used = scriptFields.filter((name) => row.text(name) !== null);
  const entries = used.flatMap((name) => {
    const isSnippet = name.endsWith("SnippetId");
    const snippet = snippetOrigin(row.text(name));
    if (runs && !isSnippet) return [[name, row.get(name)]];
    if (runs && builder.has(snippet)) return [[name, reference(snippet)]];
    const why = runs
      ? "The files do not contain its snippet. The check is switched off."
      : "Checks of this type run no such scripts. The check is switched off.";
    builder.change(origin, name, { from: "set", to: "none", why });
    return [];
  });
  return {
    ...Object.fromEntries(entries),
    ...(entries.length < used.length && { activated: false }),
  };
}

function addSnippet(builder: ReadingBuilder, row: Row): void {
  const { name } = toOrigin("snippet-", row, "Snippet");
  const payload = { name: cutName(name), script: row.text("script") ?? "" };
  builder.add({ type: "snippet", logicalId: snippetOrigin(row.text("id")), payload }, name);
}

/** Clears the masked secret values of a request, and reports each of them. */
function clearMasked(builder: ReadingBuilder, origin: Origin, row: Row, field: string): Fields {
  const request = row.row(field);
  if (request.keys().length === 0) return {};
  const report = (name: string | null) => {
    const why = "Secret values are not in the file; enter it again.";
    builder.change(origin, String(name), { from: "secret", to: "empty", why });
  };
  const clear = (list: string) => ({
    [list]: request.list(list).map((value) => {
      const pair = new Row(value);
      if (!pair.flag("locked") || !maskedValue.test(pair.text("value") ?? "")) return value;
      report(pair.text("key"));
      return { key: pair.get("key"), value: "", locked: true };
    }),
  });
  const auth = request.row("basicAuth");
  const isMasked = auth.text("password") !== null && maskedValue.test(auth.text("password") ?? "");
  if (isMasked) report("basicAuth.password");
  return {
    [field]: {
      ...Object.fromEntries(request.keys().map((key) => [key, request.get(key)])),
      ...(Array.isArray(request.get("headers")) && clear("headers")),
      ...(Array.isArray(request.get("queryParameters")) && clear("queryParameters")),
      ...(isMasked && { basicAuth: { username: auth.text("username") ?? "", password: "" } }),
    },
  };
}

/**
 * Reads a heartbeat with its ping token. The token stays the same, so that only the host in the
 * ping URL of a job changes.
 */
function readHeartbeat(row: Row): Fields {
  const heartbeat = row.row("heartbeat");
  if (row.text("checkType") !== "HEARTBEAT") return {};
  const names = ["period", "periodUnit", "grace", "graceUnit", "cron", "timezone", "pingToken"];
  const known = names.filter((name) => (heartbeat.get(name) ?? null) !== null);
  return { heartbeat: Object.fromEntries(known.map((name) => [name, heartbeat.get(name)])) };
}

function readIncident(builder: ReadingBuilder, origin: Origin, row: Row): Fields {
  const incident = row.row("triggerIncident");
  const service = serviceOrigin(incident.text("serviceId"));
  if (incident.keys().length === 0) return {};
  if (!builder.has(service)) {
    const why = "The files do not contain its service.";
    builder.change(origin, "triggerIncident", { from: "set", to: "none", why });
    return {};
  }
  return { triggerIncident: { ...withoutOwn(incident), serviceId: reference(service) } };
}

/** Imports the active subscriptions of a check or a group. */
function subscribe(builder: ReadingBuilder, target: string, row: Row): void {
  for (const subscription of row.list("alertChannelSubscriptions").map((one) => new Row(one))) {
    if (!subscription.flag("activated", true)) continue;
    const channel = channelOrigin(subscription.text("alertChannelId"));
    builder.subscribe(channel, target);
  }
}

/** Returns the runtime of a check. A runtime that does not exist here is reported and omitted. */
function readRuntime(builder: ReadingBuilder, origin: Origin, row: Row): Fields {
  const runtimeId = row.text("runtimeId");
  if (runtimeId === null || runtimes.some(({ name }) => name === runtimeId)) return { runtimeId };
  const why = "This runtime is unknown here. Choose another in the check.";
  builder.change(origin, "runtimeId", { from: runtimeId, to: "default", why });
  return {};
}

function addCheck(builder: ReadingBuilder, row: Row): void {
  const origin = toOrigin("", row, "Check");
  const type = row.text("checkType") ?? "";
  if (!isCheckType(type)) {
    builder.leaveOut(origin, `There are no checks of type ${type || "unknown"} here.`);
    return;
  }
  // The files do not contain uploaded code, so checks that run only uploaded code cannot be
  // imported. Kinds that support snippets run scripts that are part of the check, so their checks
  // can be imported.
  if (kinds[type].code !== undefined && kinds[type].snippets === undefined) {
    builder.leaveOut(origin, "Its code is not part of the files. Deploy it from its project.");
    return;
  }
  const group = groupOrigin(row.text("groupId"));
  const isGrouped = row.text("groupId") !== null;
  if (isGrouped && !builder.has(group)) {
    const why = "The files do not contain its group.";
    builder.change(origin, "group", { from: row.text("groupId"), to: "none", why });
  }
  const variables = readVariables(builder, origin, row);
  reportPlaces(builder, origin, row);
  const runs = Object.hasOwn(kinds[type].fields.scripts, "localSetupScript");
  const { checkType: _type, name: _name, ...fields } = withoutOwn(row);
  const payload = {
    ...fields,
    checkType: type,
    ...readScripts(builder, { origin, row, runs }),
    ...(variables.length > 0 && { environmentVariables: variables }),
    ...clearMasked(builder, origin, row, "request"),
    ...readHeartbeat(row),
    ...((kinds[type].receivesAllVariables || runs) && readRuntime(builder, origin, row)),
    ...readIncident(builder, origin, row),
    groupId: isGrouped && builder.has(group) ? reference(group) : null,
  };
  if (builder.addCheck(origin, payload, {})) subscribe(builder, origin.origin, row);
}

function addGroup(builder: ReadingBuilder, row: Row): void {
  const origin = toOrigin("group-", row, "Group");
  const variables = readVariables(builder, origin, row);
  reportPlaces(builder, origin, row);
  const payload = {
    ...withoutOwn(row),
    ...clearMasked(builder, origin, row, "apiCheckDefaults"),
    ...readScripts(builder, { origin, row, runs: true }),
    name: cutName(origin.name),
    ...(variables.length > 0 && { environmentVariables: variables }),
  };
  builder.add({ type: "check-group", logicalId: origin.origin, payload }, origin.name);
  subscribe(builder, origin.origin, row);
}

function addChannel(builder: ReadingBuilder, row: Row): void {
  const config = row.row("config");
  const type = row.text("type") ?? "unknown";
  const name = config.text("name") ?? config.text("address") ?? config.text("channel") ?? type;
  const logicalId = channelOrigin(row.text("id"));
  builder.add({ type: "alert-channel", logicalId, payload: withoutOwn(row) }, name);
}

function addService(builder: ReadingBuilder, row: Row): string | null {
  const logicalId = serviceOrigin(row.text("id"));
  if (builder.has(logicalId)) return logicalId;
  const name = cutName(row.text("name") ?? "");
  const payload = { name };
  return builder.add({ type: "status-page-service", logicalId, payload }, name) ? logicalId : null;
}

function addPage(builder: ReadingBuilder, row: Row): void {
  const origin = toOrigin("page-", row, "Status page");
  if (row.integer("version") === 3) {
    builder.leaveOut(origin, "Its answer does not contain components. Deploy the page as code.");
    return;
  }
  for (const name of ["customDomain", "logo", "favicon"]) {
    const value = row.text(name);
    if (value === null) continue;
    const why =
      name === "customDomain"
        ? "Add the domain to the page when its DNS record points here."
        : "Pictures of another service are not copied; upload it again.";
    builder.change(origin, name, { from: value, to: "none", why });
  }
  const cards = row.list("cards").map((value) => {
    const card = new Row(value);
    const services = card
      .list("services")
      .flatMap((one) => addService(builder, new Row(one)) ?? []);
    return { name: cutName(card.text("name") ?? ""), services: services.map(reference) };
  });
  const payload = { ...withoutOwn(row), name: cutName(origin.name), cards };
  builder.add({ type: "status-page", logicalId: origin.origin, payload }, origin.name);
}

const windowFields = [
  ...["name", "tags", "startsAt", "endsAt", "repeatInterval", "repeatUnit", "repeatEndsAt"],
];

function addWindow(builder: ReadingBuilder, row: Row): void {
  const origin = toOrigin("window-", row, "Maintenance window");
  const fields = windowFields.filter((name) => row.get(name) !== undefined);
  const payload = Object.fromEntries(fields.map((name) => [name, row.get(name)]));
  builder.add({ type: "maintenance-window", logicalId: origin.origin, payload }, origin.name);
}

function leaveOutRest(builder: ReadingBuilder, lists: Lists): void {
  for (const row of lists.locations) {
    const why = "Create a private location, start a probe there, and choose it in its checks.";
    builder.leaveOut(toOrigin("location-", row, "Private location"), why);
  }
  for (const row of lists.dashboards) {
    const origin = toOrigin("dashboard-", row, row.text("header") ?? "Dashboard", "dashboardId");
    builder.leaveOut(origin, "Dashboards are not imported. Create it by its tags.");
  }
  for (const row of lists.variables) {
    const name = row.text("key") ?? "";
    const origin = { origin: `checkly/variable-${toLogicalPart(name)}`, name };
    builder.leaveOut(
      origin,
      "Variables of the account are not imported. Create it in the settings.",
    );
  }
}

/** Reads list responses of the hosted service whose API this product implements. */
export function readCheckly(files: readonly ImportFile[], options: ReadOptions): Reading {
  const lists = readLists(files);
  if (lists.checks.length + lists.groups.length + lists.channels.length === 0) {
    throw new UnreadableFile("The files contain no checks, groups or alert channels.");
  }
  const builder = new ReadingBuilder(options);
  for (const row of lists.channels) addChannel(builder, row);
  for (const row of lists.services) addService(builder, row);
  for (const row of lists.snippets) addSnippet(builder, row);
  for (const row of lists.groups) addGroup(builder, row);
  for (const row of lists.checks) addCheck(builder, row);
  for (const row of lists.pages) addPage(builder, row);
  for (const row of lists.windows) addWindow(builder, row);
  leaveOutRest(builder, lists);
  return builder.finish();
}
