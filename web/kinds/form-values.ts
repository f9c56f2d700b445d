/** Types of the values in the form of a check, derived from the generated types of the API. */
import type { Schemas } from "../api/client.ts";
import type { PartOf } from "../parts/fields.ts";

export type Check = Schemas["Check"];
export type CheckType = Check["checkType"];
/** Fields set by the server or by other resources. */
type ServerField = "id" | "created_at" | "updated_at" | "alertChannels" | "groupOrder";

/** A field for a number is `null` while it is empty. The API rejects that where it must not be. */
type Emptiable<Value> = Value extends number
  ? Value | null
  : Value extends readonly (infer Entry)[]
    ? readonly Emptiable<Entry>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: Emptiable<Value[Name]> }
      : Value;

type EditedCheck<Type extends CheckType> = Omit<Extract<Check, { checkType: Type }>, ServerField>;

/** Form values of a check of one type. Any part may be missing, as in a draft. */
export type CheckValues<Type extends CheckType> = {
  readonly [Name in keyof EditedCheck<Type>]?:
    | PartOf<Emptiable<EditedCheck<Type>[Name]>>
    | undefined;
};

type FieldName<Value> = Value extends unknown ? keyof Value : never;
type FieldValue<Value, Name> = Value extends unknown
  ? Name extends keyof Value
    ? Value[Name]
    : never
  : never;
type ValuesOfEachType = { [Type in CheckType]: CheckValues<Type> }[CheckType];

/** Form values of a check of any type. */
export type AnyValues = {
  readonly [Name in FieldName<ValuesOfEachType>]?: FieldValue<ValuesOfEachType, Name> | undefined;
};

/** Defaults and limits of a check type. */
export type CheckKind = Omit<Schemas["CheckKind"], "defaults"> & { readonly defaults: AnyValues };
