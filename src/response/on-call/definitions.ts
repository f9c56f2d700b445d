import { assertSchema } from "../../platform/http/validation.ts";
import { assertSoundFields, changeSchedule, createSchedule, removeSchedule } from "./actions.ts";
import type { ScheduleInput } from "./schedule.ts";
import { fromWireSchedule, ScheduleBody, toWireBody } from "./schema.ts";
import { listEverySchedule } from "./store.ts";

function parse(fields: Readonly<Record<string, unknown>>): ScheduleInput {
  const body = structuredClone(fields) as ScheduleBody;
  assertSchema(ScheduleBody, body);
  const input = fromWireSchedule(body);
  assertSoundFields(input);
  return input;
}

/**
 * Functions that read and write schedules for the module `projects`. The definition of a schedule
 * in a project contains every field.
 */
export const scheduleDefinitions = {
  parse,
  write: toWireBody,
  list: listEverySchedule,
  create: createSchedule,
  change: changeSchedule,
  remove: removeSchedule,
} as const;
