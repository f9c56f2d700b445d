import { Type } from "typebox";
import { type WeekHours, weekdays } from "../week-hours.ts";
import { Described, Matching, OneOf } from "./schema.ts";

const LocalTime = Matching("^(?:[01][0-9]|2[0-3]):[0-5][0-9]$", "must be a time such as 22:00");

/** Returns the schema fields of weekly local hours. `purpose` is the description of the ranges. */
export function weekHoursFields(purpose: string) {
  return {
    timeZone: Type.String({
      description: "IANA time zone of the ranges.",
      examples: ["Europe/Berlin"],
      maxLength: 64,
    }),
    ranges: Type.Array(
      Type.Object({
        days: Type.Array(OneOf(weekdays), {
          description: "Days on which the range begins.",
          examples: [["MON", "TUE"]],
          minItems: 1,
          maxItems: 7,
        }),
        from: Described(LocalTime, "Local time at which it begins.", "22:00"),
        to: Described(
          LocalTime,
          "Local time at which it ends; on the next day if it is not later than `from`.",
          "07:00",
        ),
      }),
      { description: purpose, minItems: 1, maxItems: 20 },
    ),
  };
}

/** Copies only the known fields, because unknown fields of a body must not be stored. */
export function fromWireHours({ timeZone, ranges }: WeekHours): WeekHours {
  return {
    timeZone,
    ranges: ranges.map(({ days, from, to }) => ({ days: [...new Set(days)], from, to })),
  };
}
