import { Type } from "typebox";

/** Fields that several kinds have. The outbound guard decides which URLs are allowed. */
export const HttpUrl = Type.String({ maxLength: 2_048, pattern: "^[Hh][Tt]{2}[Pp][Ss]?://\\S+$" });
export const Secret = Type.String({ minLength: 1, maxLength: 1_024 });
export const Label = Type.String({ minLength: 1, maxLength: 255, pattern: "\\S" });
