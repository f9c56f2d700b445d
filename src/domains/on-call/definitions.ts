import { invalid } from "../../platform/errors.ts";
import { assertSchema } from "../../platform/http/validation.ts";
import { isTimeZone } from "../maintenance/index.ts";
import { changeSchedule, createSchedule, removeSchedule } from "./actions.ts";
import { findLayersFault, type ScheduleInput } from "./schedule.ts";
import { fromWireSchedule, ScheduleBody, toWireBody } from "./schema.ts";
import { listEverySchedule } from "./store.ts";

function parse(fields: Readonly<Record<string, unknown>>): ScheduleInput {
  const body = structuredClone(fields) as ScheduleBody;
  assertSchema(ScheduleBody, body);
  const input = fromWireSchedule(body);
  if (!isTimeZone(input.timeZone))
    throw invalid("timezone", "must be an IANA time zone such as Europe/Berlin");
  const fault = findLayersFault(input.layers);
  if (fault !== null) throw invalid(fault.key, fault.rule);
  return input;
}

/** Schedules as whole bodies, for owners that describe all of their fields. */
export const scheduleDefinitions = {
  parse,
  write: toWireBody,
  list: listEverySchedule,
  create: createSchedule,
  change: changeSchedule,
  remove: removeSchedule,
} as const;
