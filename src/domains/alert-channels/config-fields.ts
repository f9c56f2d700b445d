import { Type } from "typebox";
import { Filled, Matching } from "../../platform/http/schema.ts";

/** Fields shared by several kinds. The outbound guard decides which URLs are allowed. */
export const HttpUrl = Matching(
  "^[Hh][Tt]{2}[Pp][Ss]?://\\S+$",
  "must be a URL that starts with http:// or https://",
  { maxLength: 2_048 },
);
export const Secret = Type.String({ minLength: 1, maxLength: 1_024 });
export const Label = Filled({ maxLength: 255 });
