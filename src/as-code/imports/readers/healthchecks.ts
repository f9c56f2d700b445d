import { createHash } from "node:crypto";
import { heartbeatPayload, pingPeriods } from "../../../kinds/kit/check-payloads.ts";
import { isUuid } from "../../../platform/text/patterns.ts";
import { type ImportFile, type Reading, UnreadableFile } from "../reading.ts";
import { cutName, type Origin, ReadingBuilder, type ReadOptions } from "../reading-builder.ts";
import { readTextFile, requireOneFile } from "./file-text.ts";
import { toAlertSettings } from "./frequency.ts";
import { Row } from "./row.ts";

const cronFields = /^\S+(?:\s+\S+){4}$/;

/**
 * Settings of Healthchecks that heartbeat checks do not have, such as filters. Each entry contains
 * the key of the setting in the file and the name of the setting in the report.
 */
const unused: readonly (readonly [key: string, field: string])[] = [
  ["manual_resume", "manual resume"],
  ["methods", "accepted methods"],
  ["filter_subject", "filter of subjects"],
  ["filter_body", "filter of bodies"],
  ["filter_http_body", "filter of HTTP bodies"],
  ["filter_default_fail", "default of filters"],
];

function reportUnused(builder: ReadingBuilder, origin: Origin, row: Row): void {
  for (const [key, field] of unused) {
    const value = row.get(key);
    if (value === undefined || value === false || value === "" || value === null) continue;
    const why = "Heartbeat checks have no such option.";
    builder.change(origin, field, { from: value === true ? "on" : value, to: "none", why });
  }
}

function readSchedule(row: Row) {
  const schedule = row.text("schedule");
  if (schedule === null) return { periodSeconds: row.integer("timeout") ?? 86_400 };
  if (!cronFields.test(schedule.trim())) return null;
  return { periodSeconds: null, cron: schedule.trim(), timezone: row.text("tz") ?? "UTC" };
}

/** Returns the origin of a check: a hash, because the uuid is secret and reports show origins. */
function toOrigin(uuid: string, otherwise: string): string {
  const key = isUuid(uuid) ? uuid : otherwise;
  return `healthchecks/${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;
}

const slugAddress = /\/([\w-]{22})\/([a-z0-9_-]{1,150})\/?$/;

/**
 * Adds the ping URLs of a job: the URL with its uuid and, if the ping key is known, the URL with
 * its slug.
 */
function addAddresses(
  builder: ReadingBuilder,
  check: string,
  { uuid, row, pingKey }: { readonly uuid: string; readonly row: Row; readonly pingKey: string },
): void {
  if (isUuid(uuid)) builder.addAlias({ check, form: "healthchecks", key: uuid, token: null });
  const [, ownKey = pingKey, slug = row.text("slug") ?? ""] =
    slugAddress.exec(row.text("ping_url") ?? "") ?? [];
  if (!slugAddress.test(`/${ownKey}/${slug}`)) return;
  builder.addAlias({ check, form: "healthchecks-slug", key: `${ownKey}/${slug}`, token: null });
}

function addCheck(builder: ReadingBuilder, row: Row, pingKey: string): void {
  const uuid = row.text("uuid")?.toLowerCase() ?? "";
  const name = row.text("name") ?? row.text("slug") ?? "Unnamed";
  const origin = { origin: toOrigin(uuid, row.text("unique_key") ?? name), name };
  const schedule = readSchedule(row);
  if (schedule === null) {
    builder.leaveOut(origin, "Schedules of systemd (OnCalendar) are not supported; use cron.");
    return;
  }
  if (!isUuid(uuid)) {
    builder.note(
      "The list was read with a read-only key, which hides the addresses of jobs. Use a key that " +
        "may write to keep them.",
    );
  }
  reportUnused(builder, origin, row);
  const grace = Math.min(row.integer("grace") ?? 3_600, pingPeriods.maxSeconds);
  const payload = heartbeatPayload({
    ...schedule,
    graceSeconds: grace,
    ...(isUuid(uuid) && { token: uuid }),
  });
  const tags = (row.text("tags") ?? "").split(/\s+/).filter((tag) => tag !== "");
  builder.addCheck(origin, payload, {
    activated: row.text("status") !== "paused",
    tags: [...new Set(tags.map(cutName))],
    ...toAlertSettings({}),
  });
  addAddresses(builder, origin.origin, { uuid, row, pingKey });
}

/** Reads the response of `GET /api/v3/checks/` of Healthchecks. */
export function readHealthchecks(files: readonly ImportFile[], options: ReadOptions): Reading {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readTextFile(requireOneFile(files)));
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile(`The file is not valid JSON: ${(error as Error).message}.`);
  }
  const answer = new Row(parsed);
  if (!Array.isArray(answer.get("checks"))) {
    throw new UnreadableFile("The file is not a list of Healthchecks: it has no checks.");
  }
  const builder = new ReadingBuilder(options);
  const pingKey = answer.text("ping_key") ?? "";
  for (const check of answer.list("checks")) addCheck(builder, new Row(check), pingKey);
  builder.note("Integrations are not in this file. Subscribe alert channels to the checks.");
  return builder.finish();
}
